/**
 * The port to a queue of signed jobs. An adapter moves texts and keeps the one state that decides between machines:
 *
 *   added -> claimed -> sending -> ended        claimed -> added (again), sending -> claimed (turned away whole)
 *
 * Only the lease's holder moves a job on, `sending` is entered right before the first byte of a body and never by two, and
 * a job that is found in it by somebody else has an unknown end. What a text means is the runner's to judge.
 */
import type { Code } from './codes.js';
import type { JobEnd, JobProgress } from './job.js';

/** A signed job as it is added. */
export interface QueuedJob {
  readonly id: string;
  readonly lane: string;
  readonly nonce: string;
  readonly text: string;
  /** 1 is first. */
  readonly priority: number;
  /** Its state is kept until then. Milliseconds since 1970. */
  readonly keepUntilMs: number;
}

export type JobState = 'waiting' | 'delayed' | 'running' | 'sending' | 'ended';

export interface JobView {
  readonly id: string;
  readonly lane: string;
  readonly state: JobState;
  /** How often it was begun. */
  readonly claims: number;
  readonly addedMs: number;
  readonly machine: string | null;
  readonly progress: JobProgress | null;
  readonly end: JobEnd | null;
  /** The job that a person made of it. */
  readonly retriedAs: string | null;
  /** `null` once the queue has let go of it. */
  readonly text: string | null;
}

export interface JobCounts {
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** The dead-letter list: ended and not done. */
  readonly dead: number;
  /** Of these, sends that nobody knows the end of. */
  readonly unknown: number;
}

export interface JobFilter {
  /** `dead`: ended and not done. */
  readonly state: JobState | 'dead' | 'all';
  /** Newest first. */
  readonly limit: number;
}

export type JobEvent =
  | { readonly kind: 'progress'; readonly id: string; readonly progress: JobProgress }
  | { readonly kind: 'state'; readonly id: string; readonly state: 'waiting' | 'running' | 'delayed' }
  | { readonly kind: 'ended'; readonly id: string };

/** What the queue says when a runner asks for a job that it was handed. */
export type Claim =
  | { readonly kind: 'yours'; readonly claims: number }
  /** Another holder began to send and is gone; the caller must end it. */
  | { readonly kind: 'begun'; readonly machine: string; readonly record: string }
  /** It ended before, and was handed out again because the queue was not told. */
  | { readonly kind: 'ended' }
  /** Its idempotency key is used up, missing or of another job. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'lost' };

/** A job handed to a runner. Its calls reject with a `QUEUE_*` refusal while the queue is out of reach. */
export interface Delivery {
  readonly id: string;
  readonly lane: string;
  readonly text: string;
  claim(nonce: string): Promise<Claim>;
  /** Right before the first byte of a body. `JOB_LOST`, `CANCELLED`. */
  startSending(record: string): Promise<void>;
  /** The provider turned the bundle away whole: it may be sent again. */
  turnedAway(): Promise<void>;
  /** Never waits, never fails; the newest wins. */
  progress(progress: JobProgress): void;
}

export type Delivered =
  | { readonly kind: 'end'; readonly end: JobEnd; readonly result: string | null }
  /** Nothing left; to be tried later. */
  | { readonly kind: 'again'; readonly code: Code }
  /** Somebody else has it, or it is over already. */
  | { readonly kind: 'leave'; readonly code: Code | null };

export interface LaneWork {
  readonly lane: string;
  /** Jobs at once of this worker. */
  readonly concurrency: number;
  /** Jobs at once of all workers. */
  readonly sharedConcurrency: number | null;
  /** Jobs a minute of all workers. */
  readonly rate: number | null;
}

export interface WorkRequest {
  readonly lanes: readonly LaneWork[];
  /** Shown with what it runs. */
  readonly machine: string;
  readonly run: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
}

export interface JobWorker {
  /** Takes nothing new and resolves when what runs has ended. */
  drain(): Promise<void>;
  /** Aborts what runs and leaves it to others, as a death does: its leases run out. */
  abandon(): Promise<void>;
  running(): number;
}

export type Cancelled =
  /** It had not begun. */
  | 'cancelled'
  /** It runs and has sent nothing; its worker is told at its next step. */
  | 'stopping'
  /** Its body may have left. */
  | 'sending'
  | 'ended'
  | 'missing';

export interface JobQueue {
  /** Refuses a queue that could forget that a job was sent, as no lane that sends may stand in one. `QUEUE_UNSAFE`. */
  requireDurable(): Promise<void>;
  /**
   * A job whose id is there already is left as it is. `QUEUE_*`, and nothing of it runs; `JOB_UNKNOWN` where that cannot be
   * said.
   */
  add(jobs: readonly QueuedJob[]): Promise<void>;
  show(id: string): Promise<JobView | null>;
  /** What a scan found, as text. */
  result(id: string): Promise<string | null>;
  list(filter: JobFilter): Promise<readonly JobView[]>;
  counts(): Promise<JobCounts>;
  cancel(id: string): Promise<Cancelled>;
  /** Notes which job a person made of an ended one. False when there is one already. */
  markRetried(id: string, newId: string): Promise<boolean>;
  /** Events of these lanes from now on; the function ends it. */
  watch(lanes: readonly string[], onEvent: (event: JobEvent) => void): Promise<() => Promise<void>>;
  work(request: WorkRequest): Promise<JobWorker>;
  /** Ends its connections. Workers are drained or abandoned before. */
  close(): Promise<void>;
}
