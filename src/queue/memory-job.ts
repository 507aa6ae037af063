/** A job of the in-memory queue: the once-state and the lease in one place, because nobody else can see them. */
import type { JobEnd, JobProgress } from '../contract/job.js';
import type { JobState, QueuedJob } from '../contract/job-queue.js';

export interface MemoryJob extends QueuedJob {
  once: 'added' | 'claimed' | 'sending' | 'ended';
  place: 'waiting' | 'delayed' | 'active' | 'ended';
  /** The lease it was handed out under. */
  lock: string | null;
  /** The lease it was claimed with. */
  token: string | null;
  claims: number;
  readonly addedMs: number;
  /** Tries that ended with nothing sent. */
  tries: number;
  machine: string | null;
  record: string | null;
  progress: JobProgress | null;
  isStopped: boolean;
  end: JobEnd | null;
  result: string | null;
  retriedAs: string | null;
}

export const newMemoryJob = (job: QueuedJob, nowMs: number): MemoryJob => ({
  ...job,
  once: 'added',
  place: 'waiting',
  lock: null,
  token: null,
  claims: 0,
  addedMs: nowMs,
  tries: 0,
  machine: null,
  record: null,
  progress: null,
  isStopped: false,
  end: null,
  result: null,
  retriedAs: null,
});

export const stateOf = ({ once, place }: MemoryJob): JobState => {
  if (once === 'ended' || once === 'sending') return once;
  if (place === 'delayed') return 'delayed';
  return place === 'active' && once === 'claimed' ? 'running' : 'waiting';
};
