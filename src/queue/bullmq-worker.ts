/**
 * Workers of lanes. BullMQ hands out, renews leases and brings back what stalled; each delivery is claimed and ended in
 * the once-state first, so that whatever BullMQ does with a job afterwards, it cannot run twice.
 *
 * BullMQ asks again at once when a call fails for another reason than the connection (no memory, a replica, a password
 * that was changed), which would be a busy loop against a server in need: a lane rests then, longer each time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Job as BullJob, UnrecoverableError, Worker } from 'bullmq';
import { ColdsealError } from '../contract/error.js';
import { isDone } from '../contract/job.js';
import type { Delivered, JobWorker, LaneWork, WorkRequest } from '../contract/job-queue.js';
import type { BullData } from './bullmq-queue.js';
import { openDelivery } from './delivery.js';
import { endedWithin } from './ended-within.js';
import { type QueueTimes, workerOptions } from './lane-options.js';
import type { Held, OnceStore } from './once-store.js';
import { backoffMs, closeRedis, type RedisLink } from './redis-link.js';

export interface LaneWorkers {
  readonly request: WorkRequest;
  readonly link: RedisLink;
  readonly once: OnceStore;
  readonly times: QueueTimes;
  /** Everything written is on the server's disk. `QUEUE_UNSAFE`, `QUEUE_SLOW`. */
  readonly settle: () => Promise<void>;
}

export const openLaneWorkers = (parts: LaneWorkers): JobWorker => {
  const { request, link, times } = parts;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let isGone = false;
  const redis = link.openPatient();
  const run = async (lane: string, job: BullJob<BullData>, token: string): Promise<void> => {
    const work = runOne(parts, { id: job.id ?? '', lane, token }, job, stop.signal, () => isGone);
    const ending = work.catch(() => undefined);
    running.add(ending);
    try {
      await work;
    } finally {
      running.delete(ending);
    }
  };
  const workers = request.lanes.map((lane) => openLane(parts, lane, redis, run));
  return {
    running: () => running.size,
    drain: async () => {
      await Promise.all(workers.map((one) => one.close(false)));
      await closeRedis(redis);
    },
    abandon: async () => {
      stop.abort(new Error('the worker was stopped'));
      await endedWithin(Promise.all(running), times.graceMs);
      isGone = true;
      // A worker that drains already waits for what it runs; a death does not.
      await endedWithin(Promise.all(workers.map((one) => one.close(true))), times.graceMs);
      redis.disconnect();
    },
  };
};

interface Lane {
  close(force: boolean): Promise<void>;
}

const openLane = (
  { request, link, once, times }: LaneWorkers,
  work: LaneWork,
  redis: ReturnType<RedisLink['openPatient']>,
  run: (lane: string, job: BullJob<BullData>, token: string) => Promise<void>,
): Lane => {
  let faults = 0;
  let rest: NodeJS.Timeout | null = null;
  const worker = new Worker<BullData>(work.lane, (job, token = '') => run(work.lane, job, token), {
    ...workerOptions(work, request.machine, times),
    connection: redis,
  });
  const restABit = (): void => {
    if (rest !== null) return;
    worker.pause(true).catch(link.note);
    rest = setTimeout(() => {
      rest = null;
      worker.resume();
    }, backoffMs(faults));
    faults += 1;
  };
  worker.on('error', (error) => {
    if (link.note(error) !== null) restABit();
  });
  worker.on('active', () => {
    faults = 0;
    link.wrote();
  });
  // From here on, whoever hands the job out again replays it. Where this is not written, it merely ends once more.
  const onFinished = (job: BullJob<BullData> | undefined): void => {
    if (job?.id !== undefined) once.finished(job.id).catch(() => undefined);
  };
  worker.on('completed', onFinished);
  worker.on('failed', (job, error) => {
    if (error instanceof UnrecoverableError) onFinished(job);
  });
  return {
    close: async (force) => {
      if (rest !== null) clearTimeout(rest);
      await worker.close(force);
    },
  };
};

/** Resolves for a job that is done; rejects with a code alone, which is what BullMQ keeps of a failure. */
const runOne = async (
  { request, link, once, settle }: LaneWorkers,
  held: Held,
  job: BullJob<BullData>,
  signal: AbortSignal,
  isGone: () => boolean,
): Promise<void> => {
  const delivery = openDelivery({ held, job, once, link, settle, machine: request.machine });
  let delivered: Delivered;
  try {
    delivered = await request.run(delivery, signal);
  } catch (error) {
    // A fault of the runner's, or a queue that cannot be asked: the lease brings the job back.
    delivered = { kind: 'again', code: error instanceof ColdsealError ? error.code : 'INTERNAL' };
  } finally {
    delivery.close();
  }
  if (isGone()) throw new Error('JOB_LOST');
  switch (delivered.kind) {
    case 'end': {
      const { end, result } = delivered;
      const isEnd = await untilSaid(() => once.end(held, end, result), isGone);
      if (!isEnd) throw new UnrecoverableError('JOB_LOST');
      if (!isDone(end.outcome)) throw new UnrecoverableError(end.code ?? end.outcome);
      return;
    }
    case 'again': {
      const { code } = delivered;
      if (await untilSaid(() => once.again(held), isGone)) throw new Error(code);
      throw new Error('JOB_LOST');
    }
    case 'leave':
      return await leave(once, held, delivered.code);
    default:
      return delivered satisfies never;
  }
};

/** BullMQ is told what is known already. */
const leave = async (once: OnceStore, { id }: Held, code: string | null): Promise<void> => {
  if (code !== null) throw new UnrecoverableError(code);
  const [row = null] = await once.read([id]);
  if (row?.end !== null && row?.end !== undefined && isDone(row.end.outcome)) return;
  throw new UnrecoverableError(row?.end?.code ?? 'JOB_LOST');
};

/** What was done is said until it is heard: a send that ended must not look unknown because Redis was away. */
const untilSaid = async (say: () => Promise<boolean>, isGone: () => boolean): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await say();
    } catch (error) {
      if (!(error instanceof ColdsealError) || !error.code.startsWith('QUEUE_') || isGone()) throw error;
      await pause(backoffMs(tries));
    }
  }
};
