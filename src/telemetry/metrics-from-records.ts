/**
 * The figures of the record store as Prometheus text, for a textfile collector: what the command line did, where no
 * process stays to be scraped. What only a running process knows (threads, queue) is left out.
 */
import { Registry } from 'prom-client';
import type { RecordRow } from '../contract/record.js';
import { addBuildInfo, type Build, createRunMetrics } from './metrics.js';
import { createRecordCounter } from './record-counter.js';

/** One metric with its samples: what a line of the text says, as members. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

interface MetricSample {
  /** The family's, or with `_bucket`, `_sum` or `_count` for a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Prometheus text. `rows` in chain order; read once, one at a time. Memory grows with the runs that never ended. */
export async function metricsFromRecords(rows: AsyncIterable<RecordRow>, build: Build): Promise<string> {
  return (await countedRows(rows, build)).metrics();
}

/** The same figures as values. `le` of a histogram's last bucket is the text `+Inf`, as in the Prometheus text. */
export async function familiesFromRecords(
  rows: AsyncIterable<RecordRow>,
  build: Build,
): Promise<readonly MetricFamily[]> {
  const metrics = await (await countedRows(rows, build)).getMetricsAsJSON();
  return metrics.map(({ name, type, help, values }) => ({
    name,
    type: String(type),
    help,
    samples: values.map((sample) => ({
      name: 'metricName' in sample && typeof sample.metricName === 'string' ? sample.metricName : name,
      labels: labelsOf(sample.labels),
      value: sample.value,
    })),
  }));
}

const labelsOf = (labels: Readonly<Record<string, string | number | undefined>>): MetricSample['labels'] =>
  Object.fromEntries(Object.entries(labels).flatMap(([name, label]) => (label === undefined ? [] : [[name, label]])));

async function countedRows(rows: AsyncIterable<RecordRow>, build: Build): Promise<Registry> {
  const registry = new Registry();
  const counter = createRecordCounter(createRunMetrics(registry));
  addBuildInfo(registry, build);
  for await (const row of rows) counter.add(row);
  // Nobody waits for the rest: a start without an end is unknown.
  counter.lapse(Number.POSITIVE_INFINITY);
  return registry;
}
