/** Workers of the in-memory queue: lanes with their concurrency and rate, leases that end when a worker is abandoned. */
import { ColdsealError } from '../contract/error.js';
import type { Claim, Delivered, Delivery, JobWorker, LaneWork, WorkRequest } from '../contract/job-queue.js';
import { endedWithin } from './ended-within.js';
import { retryDelayMs } from './lane-options.js';
import type { MemoryJob } from './memory-job.js';
import type { MemoryShelf } from './memory-queue.js';

const MINUTE_MS = 60_000;

interface Held {
  readonly job: MemoryJob;
  readonly token: string;
}

export const openMemoryWorker = (shelf: MemoryShelf, request: WorkRequest): JobWorker => {
  const stop = new AbortController();
  const running = new Map<Held, Promise<void>>();
  const begun = new Map<string, number[]>();
  const timers = new Set<NodeJS.Timeout>();
  let isClosed = false;
  let isGone = false;

  const ofLane = (lane: string): number => [...running.keys()].filter(({ job }) => job.lane === lane).length;
  const start = (held: Held): void => {
    const ending = runOne(shelf, request, held, stop.signal, () => isGone).finally(() => {
      running.delete(held);
      look();
    });
    running.set(held, ending);
  };
  const look = (): void => {
    if (isClosed) return;
    for (const work of request.lanes) {
      while (ofLane(work.lane) < work.concurrency && shelf.running(work.lane) < (work.sharedConcurrency ?? Infinity)) {
        const waitMs = rateWaitMs(work, begun, shelf.now());
        if (waitMs > 0) {
          later(waitMs);
          break;
        }
        const held = shelf.take(work.lane);
        if (held === null) break;
        begun.get(work.lane)?.push(shelf.now());
        start(held);
      }
    }
  };
  const later = (ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      look();
    }, ms);
    timers.add(timer);
  };
  const unlisten = shelf.onChange(look);
  const close = (): void => {
    isClosed = true;
    unlisten();
    for (const timer of timers) clearTimeout(timer);
  };
  look();
  return {
    running: () => running.size,
    drain: async () => {
      close();
      await Promise.all(running.values());
    },
    abandon: async () => {
      close();
      stop.abort(new Error('the worker was stopped'));
      const left = [...running];
      await endedWithin(Promise.all(left.map(([, ending]) => ending)), shelf.times.graceMs);
      isGone = true;
      for (const { job, token } of running.keys()) if (job.lock === token) shelf.again(job, shelf.times.leaseMs);
    },
  };
};

/** 0 when one more may begin now. Counts what this process began in the last minute. */
const rateWaitMs = ({ lane, rate }: LaneWork, begun: Map<string, number[]>, nowMs: number): number => {
  const recent = (begun.get(lane) ?? []).filter((at) => at > nowMs - MINUTE_MS);
  begun.set(lane, recent);
  const [oldest = nowMs] = recent;
  return rate === null || recent.length < rate ? 0 : oldest + MINUTE_MS - nowMs;
};

const runOne = async (
  shelf: MemoryShelf,
  request: WorkRequest,
  held: Held,
  signal: AbortSignal,
  isGone: () => boolean,
): Promise<void> => {
  const { job, token } = held;
  let delivered: Delivered;
  try {
    delivered = await request.run(openDelivery(shelf, held, request.machine), signal);
  } catch (error) {
    delivered = { kind: 'again', code: error instanceof ColdsealError ? error.code : 'INTERNAL' };
  }
  const isHolder = job.lock === token && (job.token === null || job.token === token) && job.once !== 'ended';
  if (isGone() || !isHolder) return;
  if (delivered.kind === 'end') shelf.ended(job, delivered.end, delivered.result);
  if (delivered.kind === 'again' && job.once !== 'sending') {
    job.once = 'added';
    job.token = null;
    job.tries += 1;
    shelf.again(job, retryDelayMs(job.tries, shelf.times.retryMs));
  }
};

const openDelivery = (shelf: MemoryShelf, { job, token }: Held, machine: string): Delivery => ({
  id: job.id,
  lane: job.lane,
  text: job.text,
  claim: async (nonce): Promise<Claim> => {
    if (job.lock !== token) return { kind: 'lost' };
    if (nonce !== job.nonce) return { kind: 'replayed' };
    if (job.once === 'ended') return { kind: 'ended' };
    if (job.once === 'sending') {
      job.token = token;
      return { kind: 'begun', machine: job.machine ?? '', record: job.record ?? '' };
    }
    if (job.token !== token) job.claims += 1;
    job.token = token;
    job.once = 'claimed';
    job.machine = machine;
    return { kind: 'yours', claims: job.claims };
  },
  startSending: async (record) => {
    const isOwn = job.lock === token && job.token === token;
    if (isOwn && job.isStopped) {
      throw new ColdsealError('CANCELLED', 'the job was cancelled before anything of it left');
    }
    const isNew = job.once === 'claimed';
    if (!isOwn || !(isNew || (job.once === 'sending' && job.record === record))) {
      throw new ColdsealError(
        'JOB_LOST',
        'the lease on the job ran out before anything of it left; another worker takes it',
      );
    }
    job.once = 'sending';
    job.record = record;
  },
  turnedAway: async () => {
    if (job.token === token && job.once === 'sending') job.once = 'claimed';
  },
  progress: (progress) => {
    job.progress = progress;
    shelf.tell({ kind: 'progress', id: job.id, progress });
  },
});
