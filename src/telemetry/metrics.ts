/**
 * The one metrics registry. Series with labels start at zero for every word of their closed set, so that an alert on the
 * first refusal of a kind sees a rise from 0 rather than a series that begins at 1.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { PROVIDER_FAILURES, REFUSALS } from '../contract/codes.js';
import { LABEL_WORDS, METRICS, type MetricRow } from './metric-table.js';

export interface RunMetrics {
  readonly bundles: Counter;
  readonly refusals: Counter;
  readonly providerFailures: Counter;
  readonly bundleBytes: Histogram;
  readonly bundleItems: Histogram;
  readonly scanSeconds: Histogram;
  readonly scannedBytes: Counter;
  readonly blankedSpans: Counter;
  readonly omittedItems: Counter;
  readonly providerSeconds: Histogram;
  readonly firstTokenSeconds: Histogram;
  readonly tokens: Counter;
}

/** Jobs of the fleet's queue by state. */
type JobFigures = Readonly<Record<(typeof LABEL_WORDS.state)[number], number>>;

/** Asked at each scrape; each must answer at once, but the queue, which is asked over the network. */
interface ProcessFigures {
  readonly poolThreads: () => number;
  readonly poolThreadsBusy: () => number;
  readonly queueDepth: () => number;
  readonly inFlightBytes: () => number;
  /** Since the program started. */
  readonly workerRestarts: () => number;
  /** `null` where there is no queue. */
  readonly jobs: () => Promise<JobFigures | null>;
}

export interface Build {
  readonly version: string;
  /** `sha256:` + hex of the compiled-in rules. */
  readonly rules: string;
}

export interface ProcessMetrics {
  /** Tells where the gauges read from; before that they are 0. */
  watch(figures: ProcessFigures): void;
  /** For `openRecordStore({ onWritten })`. */
  recordWritten(durationMs: number): void;
}

/** Figures of runs alone, in a registry of their own: what the record store can answer. */
export function createRunMetrics(registry: Registry): RunMetrics {
  const run: RunMetrics = {
    bundles: counter(registry, METRICS.bundles),
    refusals: counter(registry, METRICS.refusals),
    providerFailures: counter(registry, METRICS.providerFailures),
    bundleBytes: histogram(registry, METRICS.bundleBytes),
    bundleItems: histogram(registry, METRICS.bundleItems),
    scanSeconds: histogram(registry, METRICS.scanSeconds),
    scannedBytes: counter(registry, METRICS.scannedBytes),
    blankedSpans: counter(registry, METRICS.blankedSpans),
    omittedItems: counter(registry, METRICS.omittedItems),
    providerSeconds: histogram(registry, METRICS.providerSeconds),
    firstTokenSeconds: histogram(registry, METRICS.firstTokenSeconds),
    tokens: counter(registry, METRICS.tokens),
  };
  for (const code of Object.keys(REFUSALS)) run.refusals.inc({ code }, 0);
  for (const code of Object.keys(PROVIDER_FAILURES)) run.providerFailures.inc({ code }, 0);
  for (const family of LABEL_WORDS.family) run.blankedSpans.inc({ family }, 0);
  for (const reason of LABEL_WORDS.reason) run.omittedItems.inc({ reason }, 0);
  for (const direction of LABEL_WORDS.direction) run.tokens.inc({ direction }, 0);
  return run;
}

/** Everything that the service's `/metrics` shows: runs, this process, and prom-client's own figures. */
export function createMetrics(build: Build): {
  readonly registry: Registry;
  readonly run: RunMetrics;
  readonly process: ProcessMetrics;
} {
  const registry = new Registry();
  const run = createRunMetrics(registry);
  const process = createProcessMetrics(registry);
  addBuildInfo(registry, build);
  collectDefaultMetrics({ register: registry });
  return { registry, run, process };
}

export function addBuildInfo(registry: Registry, build: Build): void {
  gauge(registry, METRICS.buildInfo).set({ version: build.version, rules: build.rules }, 1);
}

function createProcessMetrics(registry: Registry): ProcessMetrics {
  let figures: ProcessFigures | null = null;
  gauge(registry, METRICS.poolThreads, () => figures?.poolThreads() ?? 0);
  gauge(registry, METRICS.poolThreadsBusy, () => figures?.poolThreadsBusy() ?? 0);
  gauge(registry, METRICS.queueDepth, () => figures?.queueDepth() ?? 0);
  gauge(registry, METRICS.inFlightBytes, () => figures?.inFlightBytes() ?? 0);
  jobsGauge(registry, async () => figures?.jobs() ?? null);
  counter(registry, METRICS.workerRestarts, () => figures?.workerRestarts() ?? 0);
  const recordWriteSeconds = histogram(registry, METRICS.recordWriteSeconds);
  return {
    watch: (from) => {
      figures = from;
    },
    recordWritten: (durationMs) => recordWriteSeconds.observe(durationMs / 1000),
  };
}

const common = (registry: Registry, row: MetricRow) => ({
  name: row.name,
  help: row.help,
  labelNames: [...row.labels],
  registers: [registry],
});

/** @param read gives the total so far, at each scrape. */
function counter(registry: Registry, row: MetricRow, read?: () => number): Counter {
  return new Counter({
    ...common(registry, row),
    ...(read === undefined
      ? {}
      : {
          collect() {
            this.reset();
            this.inc(read());
          },
        }),
  });
}

function gauge(registry: Registry, row: MetricRow, read?: () => number): Gauge {
  return new Gauge({
    ...common(registry, row),
    ...(read === undefined
      ? {}
      : {
          collect() {
            this.set(read());
          },
        }),
  });
}

/** A queue that cannot be asked leaves the figures as they were: a scrape must not fail with it. */
function jobsGauge(registry: Registry, read: () => Promise<JobFigures | null>): void {
  const made = new Gauge({
    ...common(registry, METRICS.jobs),
    async collect() {
      const jobs = await read().catch(() => null);
      for (const state of LABEL_WORDS.state) if (jobs !== null) this.set({ state }, jobs[state]);
    },
  });
  for (const state of LABEL_WORDS.state) made.set({ state }, 0);
}

function histogram(registry: Registry, row: MetricRow): Histogram {
  return new Histogram({ ...common(registry, row), buckets: [...(row.buckets ?? [])] });
}
