/** A delivery of BullMQ's as the runner sees it: its calls go to the once-state, its progress to BullMQ, not too often. */
import type { Job as BullJob } from 'bullmq';
import type { JobProgress } from '../contract/job.js';
import type { Delivery } from '../contract/job-queue.js';
import type { BullData } from './bullmq-queue.js';
import type { Held, OnceStore } from './once-store.js';
import type { RedisLink } from './redis-link.js';

/** Between two words of progress; a job that is over before is told by its end. */
const PROGRESS_MS = 400;

export interface DeliveryParts {
  readonly held: Held;
  readonly job: BullJob<BullData>;
  readonly once: OnceStore;
  readonly link: RedisLink;
  readonly settle: () => Promise<void>;
  readonly machine: string;
}

export const openDelivery = (parts: DeliveryParts): Delivery & { readonly close: () => void } => {
  const { held, job, once, link, settle, machine } = parts;
  let newest: JobProgress | null = null;
  let timer: NodeJS.Timeout | null = null;
  const tell = (): void => {
    timer = null;
    if (newest !== null) job.updateProgress(newest).catch(link.note);
    newest = null;
  };
  return {
    id: held.id,
    lane: held.lane,
    text: typeof job.data?.signed === 'string' ? job.data.signed : '',
    claim: (nonce) => once.claim(held, nonce, machine),
    startSending: async (record) => {
      await once.startSending(held, record);
      try {
        await settle();
      } catch (error) {
        // Nothing has left, so it may be begun anew; where this is not heard, its end is unknown.
        await once.turnedAway(held).catch(link.note);
        throw error;
      }
    },
    turnedAway: () => once.turnedAway(held),
    progress: (progress) => {
      newest = progress;
      timer ??= setTimeout(tell, PROGRESS_MS);
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      newest = null;
    },
  };
};
