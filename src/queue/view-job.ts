/** A job as it is shown: its once-state says how far it is, BullMQ where it waits and what it is. */
import type { Job as BullJob } from 'bullmq';
import { z } from 'zod';
import type { JobProgress } from '../contract/job.js';
import type { JobState, JobView } from '../contract/job-queue.js';
import type { BullData } from './bullmq-queue.js';
import type { OnceRow } from './once-store.js';

const progressShape = z.object({
  stage: z.enum(['plan', 'scan', 'seal', 'send', 'answer']),
  items: z.number(),
  bytes: z.number(),
  findings: z.number(),
});

/** `null` for anything that is no progress of ours. */
export const readProgress = (value: unknown): JobProgress | null => {
  const read = progressShape.safeParse(value);
  return read.success ? read.data : null;
};

/** `place` is BullMQ's word for where it is. */
export const viewOf = (
  id: string,
  { state, lane, claims, addedMs, machine, end, retriedAs }: OnceRow,
  job: Pick<BullJob<BullData>, 'data' | 'progress'> | null,
  place: string,
): JobView => ({
  id,
  lane,
  state: stateOf(state, place),
  claims,
  addedMs,
  machine,
  progress: readProgress(job?.progress),
  end,
  retriedAs,
  text: typeof job?.data?.signed === 'string' ? job.data.signed : null,
});

const stateOf = (state: OnceRow['state'], place: string): JobState => {
  if (state === 'ended' || state === 'sending') return state;
  if (place === 'failed' || place === 'completed') return 'ended';
  if (place === 'delayed') return 'delayed';
  return state === 'claimed' && place === 'active' ? 'running' : 'waiting';
};
