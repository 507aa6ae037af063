/**
 * When a further thread is worth its start. Starting one costs about as much processor time as scanning some megabytes, so
 * it waits for work of that order: bytes that are there now, or time that the others have been busy while batches waited.
 * Time is what the threads report, not a clock: small batches of costly text are seen through it.
 */

/** Bytes that run and wait together, for every thread there is. */
const WORTH_BYTES = 2 * 1024 * 1024;
/** Time that threads have worked, for every thread there is. */
const WORTH_BUSY_MS = 100;

export interface WorkSeen {
  /** Threads that are started or being started. */
  readonly threads: number;
  /** Batches that wait. */
  readonly waiting: number;
  /** Bytes of the batches that run and wait. */
  readonly bytes: number;
  /** Sum of what all threads have reported, in milliseconds. */
  readonly busyMs: number;
}

export const isWorthThread = ({ threads, waiting, bytes, busyMs }: WorkSeen): boolean =>
  waiting > 0 && (bytes >= WORTH_BYTES * threads || busyMs >= WORTH_BUSY_MS * threads);
