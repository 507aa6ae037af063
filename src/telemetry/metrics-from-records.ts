/**
 * The figures of the record store as Prometheus text, for a textfile collector: what the command line did, where no
 * process stays to be scraped. What only a running process knows (threads, queue) is left out.
 */
import { Registry } from 'prom-client';
import type { RecordRow } from '../contract/record.js';
import { addBuildInfo, type Build, createRunMetrics } from './metrics.js';
import { createRecordCounter } from './record-counter.js';

/** @param rows in chain order; read once, one at a time. Memory grows with the runs that never ended. */
export async function metricsFromRecords(rows: AsyncIterable<RecordRow>, build: Build): Promise<string> {
  const registry = new Registry();
  const counter = createRecordCounter(createRunMetrics(registry));
  addBuildInfo(registry, build);
  for await (const row of rows) counter.add(row);
  // Nobody waits for the rest: a start without an end is unknown.
  counter.lapse(Number.POSITIVE_INFINITY);
  return registry.metrics();
}
