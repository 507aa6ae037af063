/**
 * Every metric of ours: the README's table, the alert rules' check and the registry read these rows. Labels come from
 * closed sets only, never a path, host, model, repository or rule: the figures of a run must not say what it was about.
 */
import { FAMILIES } from '../contract/finding.js';
import { KINDS } from '../contract/item.js';

export interface MetricRow {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, for a histogram. */
  readonly buckets?: readonly number[];
  /** `run` figures can also be had from the record store; `process` figures only from a running program. */
  readonly of: 'run' | 'process';
}

const MIB = 1024 * 1024;
const SIZE_BUCKETS = [1024, 4096, 16384, 65536, 262144, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB];
const COUNT_BUCKETS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000];
const SHORT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const CALL_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900, 1800];

export const METRICS = {
  bundles: {
    name: 'coldseal_bundles_total',
    type: 'counter',
    help: 'Runs by kind of bundle and by how they ended.',
    labels: ['kind', 'outcome'],
    of: 'run',
  },
  refusals: {
    name: 'coldseal_refusals_total',
    type: 'counter',
    help: 'Runs that a rule refused, by code; nothing was sent.',
    labels: ['code'],
    of: 'run',
  },
  providerFailures: {
    name: 'coldseal_provider_failures_total',
    type: 'counter',
    help: 'Runs whose provider failed, by code.',
    labels: ['code'],
    of: 'run',
  },
  bundleBytes: {
    name: 'coldseal_bundle_bytes',
    type: 'histogram',
    help: 'Bytes of a sealed bundle, as they count against the cap.',
    labels: [],
    buckets: SIZE_BUCKETS,
    of: 'run',
  },
  bundleItems: {
    name: 'coldseal_bundle_items',
    type: 'histogram',
    help: 'Items of a sealed bundle.',
    labels: [],
    buckets: COUNT_BUCKETS,
    of: 'run',
  },
  scanSeconds: {
    name: 'coldseal_scan_duration_seconds',
    type: 'histogram',
    help: 'Time from the first item scanned to the seal.',
    labels: [],
    buckets: SHORT_BUCKETS,
    of: 'run',
  },
  scannedBytes: {
    name: 'coldseal_scanned_bytes_total',
    type: 'counter',
    help: 'Bytes of items that were scanned.',
    labels: [],
    of: 'run',
  },
  blankedSpans: {
    name: 'coldseal_blanked_spans_total',
    type: 'counter',
    help: 'Spans replaced by a placeholder, by family of rules.',
    labels: ['family'],
    of: 'run',
  },
  omittedItems: {
    name: 'coldseal_omitted_items_total',
    type: 'counter',
    help: 'Items whose place was kept and whose text did not travel, by reason.',
    labels: ['reason'],
    of: 'run',
  },
  providerSeconds: {
    name: 'coldseal_provider_duration_seconds',
    type: 'histogram',
    help: 'Time from connecting to the last byte of the answer.',
    labels: [],
    buckets: CALL_BUCKETS,
    of: 'run',
  },
  firstTokenSeconds: {
    name: 'coldseal_time_to_first_token_seconds',
    type: 'histogram',
    help: 'Time from connecting to the first text of the answer.',
    labels: [],
    buckets: CALL_BUCKETS,
    of: 'run',
  },
  tokens: {
    name: 'coldseal_tokens_total',
    type: 'counter',
    help: 'Tokens as the provider counts them, by direction.',
    labels: ['direction'],
    of: 'run',
  },
  poolThreads: {
    name: 'coldseal_pool_threads',
    type: 'gauge',
    help: 'Scan threads.',
    labels: [],
    of: 'process',
  },
  poolThreadsBusy: {
    name: 'coldseal_pool_threads_busy',
    type: 'gauge',
    help: 'Scan threads at work.',
    labels: [],
    of: 'process',
  },
  queueDepth: {
    name: 'coldseal_queue_depth',
    type: 'gauge',
    help: 'Runs that wait for their turn.',
    labels: [],
    of: 'process',
  },
  jobs: {
    name: 'coldseal_jobs',
    type: 'gauge',
    help: 'Jobs of the fleet’s queue by state; what is dead includes what is unknown. Left as it was while Redis is away.',
    labels: ['state'],
    of: 'process',
  },
  inFlightBytes: {
    name: 'coldseal_in_flight_bytes',
    type: 'gauge',
    help: 'Bytes of items between their reading and the seal.',
    labels: [],
    of: 'process',
  },
  workerRestarts: {
    name: 'coldseal_worker_restarts_total',
    type: 'counter',
    help: 'Scan threads that died and were started again.',
    labels: [],
    of: 'process',
  },
  recordWriteSeconds: {
    name: 'coldseal_record_write_seconds',
    type: 'histogram',
    help: 'Time to append one row to the record, waiting for the lock included.',
    labels: [],
    buckets: SHORT_BUCKETS,
    of: 'process',
  },
  buildInfo: {
    name: 'coldseal_build_info',
    type: 'gauge',
    help: 'Always 1; the labels name the version and the digest of the rules.',
    labels: ['version', 'rules'],
    of: 'process',
  },
} as const satisfies Record<string, MetricRow>;

/** The words a label may hold. Anything else is counted as `other`. */
export const LABEL_WORDS = {
  kind: [...KINDS, 'gate', 'none', 'other'],
  outcome: ['sent', 'planned', 'host', 'refused', 'provider_failed', 'failed', 'unknown', 'other'],
  family: [...FAMILIES, 'other'],
  reason: ['binary', 'withheld', 'other'],
  direction: ['sent', 'received'],
  state: ['waiting', 'delayed', 'running', 'dead', 'unknown'],
} as const;

export function closedWord(words: readonly string[], word: string): string {
  return words.includes(word) ? word : 'other';
}
