/** What BullMQ is told of every job and worker: the same wherever a job is added or run. */
import type { JobsOptions, WorkerOptions } from 'bullmq';
import type { LaneWork, QueuedJob } from '../contract/job-queue.js';
import { PREFIX } from './once-store.js';

/** What tests make shorter. */
export interface QueueTimes {
  /** A worker that says nothing for so long has lost its jobs. */
  readonly leaseMs: number;
  /** Before the first of the later tries; doubled each time. */
  readonly retryMs: number;
  /** What runs is given so long to end when a worker is stopped. */
  readonly graceMs: number;
}

export const QUEUE_TIMES: QueueTimes = { leaseMs: 30_000, retryMs: 2_000, graceMs: 5_000 };

const DAY_SECONDS = 24 * 3600;
const LONGEST_RETRY_MS = 5 * 60_000;
/** Over the most that a job may ask for: the runner counts, BullMQ only delays. */
const MOST_TRIES = 64;
/** A delivery that ends its worker before the runner can count it, over and over. */
const MOST_STALLS = 32;

/** Ended jobs are shown for a while and leave by themselves. No stack is kept: it names folders of a machine. */
export const jobOptions = ({ id, priority }: QueuedJob): JobsOptions => ({
  jobId: id,
  priority,
  attempts: MOST_TRIES,
  backoff: { type: 'coldseal' },
  removeOnComplete: { age: DAY_SECONDS, count: 100_000 },
  removeOnFail: { age: 30 * DAY_SECONDS, count: 100_000 },
  stackTraceLimit: 0,
  keepLogs: 0,
});

export const workerOptions = (
  { concurrency, rate }: LaneWork,
  machine: string,
  { leaseMs, retryMs }: QueueTimes,
): Omit<WorkerOptions, 'connection'> => ({
  prefix: PREFIX,
  name: machine,
  concurrency,
  ...(rate === null ? {} : { limiter: { max: rate, duration: 60_000 } }),
  lockDuration: leaseMs,
  stalledInterval: leaseMs,
  maxStalledCount: MOST_STALLS,
  settings: { backoffStrategy: (tries) => retryDelayMs(tries, retryMs) },
});

/** Doubling, half of it by chance: jobs that failed together do not come back together. */
export const retryDelayMs = (tries: number, firstMs: number, random: () => number = Math.random): number => {
  const full = Math.min(LONGEST_RETRY_MS, firstMs * 2 ** Math.min(Math.max(tries, 1) - 1, 20));
  return Math.round(full * (0.5 + random() / 2));
};
