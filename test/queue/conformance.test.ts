/** One suite for every adapter of the queue's port: the fleet's against a real Redis, the default in memory. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { type JobEnd, noFigures } from '../../src/contract/job.js';
import type {
  Delivered,
  Delivery,
  JobEvent,
  JobQueue,
  JobWorker,
  LaneWork,
  QueuedJob,
} from '../../src/contract/job-queue.js';
import { BullQueue } from '../../src/queue/bullmq-queue.js';
import { MemoryQueue } from '../../src/queue/memory-queue.js';
import { isWithoutRedis, startRedis, type TestRedis } from '../support/start-redis.js';

/** Long enough for a busy machine to say in time that a worker still lives. */
const TIMES = { leaseMs: 3_000, retryMs: 50, graceMs: 50 };
const LONG_MS = 120_000;

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.close();
});

const ADAPTERS: readonly { readonly name: string; open(): JobQueue }[] = [
  { name: 'in memory', open: () => new MemoryQueue(() => Date.now(), TIMES) },
  {
    name: 'BullMQ',
    open: () => new BullQueue({ url: redis.url, password: null, say: () => undefined, patienceMs: 5_000 }, TIMES),
  },
];

/** Base32 as job ids are; each lane of a test is its own. */
const word = (): string => Buffer.from(randomBytes(16)).toString('hex').slice(0, 12);
const idOf = (): string =>
  `job-${[...randomBytes(26)].map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')}`;

const jobIn = (lane: string, changes: Partial<QueuedJob> = {}): QueuedJob => ({
  id: idOf(),
  lane,
  nonce: 'n1',
  text: 'signed',
  priority: 5,
  keepUntilMs: Date.now() + LONG_MS,
  ...changes,
});

const end = (outcome: JobEnd['outcome'], code: JobEnd['code'] = null): Delivered => ({
  kind: 'end',
  end: { ...noFigures, outcome, code },
  result: null,
});

const laneOf = (lane: string, changes: Partial<LaneWork> = {}): LaneWork => ({
  lane,
  concurrency: 1,
  sharedConcurrency: null,
  rate: null,
  ...changes,
});

const until = async <T>(ask: () => Promise<T | null | false> | T | null | false, mostMs = 60_000): Promise<T> => {
  const deadline = Date.now() + mostMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error('it did not come about in time');
    await pause(20);
  }
};

const codeIn = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'none';
  } catch (error) {
    return error instanceof ColdsealError ? error.code : 'no code';
  }
};

describe.skipIf(isWithoutRedis).each(ADAPTERS)('the queue $name', { timeout: LONG_MS }, ({ open }) => {
  const queues: JobQueue[] = [];
  const workers: JobWorker[] = [];
  const opened = (): JobQueue => {
    const queue = open();
    queues.push(queue);
    return queue;
  };
  const work = async (
    queue: JobQueue,
    lane: string,
    run: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>,
    changes: Partial<LaneWork> = {},
    machine = 'machine-a',
  ): Promise<JobWorker> => {
    const worker = await queue.work({ lanes: [laneOf(lane, changes)], machine, run });
    workers.push(worker);
    return worker;
  };
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.abandon()));
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
  });
  const endOf = (queue: JobQueue, id: string, mostMs?: number): Promise<JobEnd> =>
    until(async () => (await queue.show(id))?.end ?? null, mostMs);

  it('runs a job once and keeps its end and what it found', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job, job]);
    await queue.add([job]);
    expect(await queue.show(job.id)).toMatchObject({ state: 'waiting', claims: 0, end: null, text: 'signed' });
    const seen: string[] = [];
    await work(queue, lane, async (delivery) => {
      seen.push(delivery.text);
      expect(await delivery.claim('n1')).toEqual({ kind: 'yours', claims: 1 });
      return { kind: 'end', end: { ...noFigures, outcome: 'scanned', code: null, findings: 2 }, result: '[1,2]' };
    });
    expect(await endOf(queue, job.id)).toMatchObject({ outcome: 'scanned', findings: 2 });
    expect(await queue.result(job.id)).toBe('[1,2]');
    await queue.add([job]);
    await pause(200);
    expect(seen).toEqual(['signed']);
    expect(await queue.show(job.id)).toMatchObject({ state: 'ended', claims: 1, machine: 'machine-a' });
  });

  it('knows nothing of an id that was never added', async () => {
    const queue = opened();
    expect([await queue.show(idOf()), await queue.result(idOf()), await queue.cancel(idOf())]).toEqual([
      null,
      null,
      'missing',
    ]);
  });

  it('hands out the first priority first', async () => {
    const queue = opened();
    const lane = word();
    const jobs = [9, 1, 5].map((priority) => jobIn(lane, { priority, text: String(priority) }));
    await queue.add(jobs);
    const seen: string[] = [];
    await work(queue, lane, async (delivery) => {
      await delivery.claim('n1');
      seen.push(delivery.text);
      return end('planned');
    });
    await until(() => seen.length === 3);
    expect(seen).toEqual(['1', '5', '9']);
  });

  it('tries again later what sent nothing, and counts how often it was begun', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job]);
    const claims: number[] = [];
    await work(queue, lane, async (delivery) => {
      const claim = await delivery.claim('n1');
      if (claim.kind === 'yours') claims.push(claim.claims);
      return claims.length < 3 ? { kind: 'again', code: 'PROVIDER_UNREACHABLE' } : end('sent');
    });
    expect(await endOf(queue, job.id)).toMatchObject({ outcome: 'sent' });
    expect(claims).toEqual([1, 2, 3]);
  });

  it('lists what ended without being done, newest first', async () => {
    const queue = opened();
    const lane = word();
    const before = await queue.counts();
    const jobs = ['OVER_CAP', 'NO_RANGE'].map((text) => jobIn(lane, { text }));
    for (const job of jobs) {
      await queue.add([job]);
      await pause(5);
    }
    await work(queue, lane, async (delivery) => {
      await delivery.claim('n1');
      return end('refused', delivery.text === 'OVER_CAP' ? 'OVER_CAP' : 'NO_RANGE');
    });
    await until(async () => (await queue.counts()).dead === before.dead + 2);
    const dead = (await queue.list({ state: 'dead', limit: 2 })).map((view) => view.end?.code);
    expect(dead).toEqual(['NO_RANGE', 'OVER_CAP']);
    expect((await queue.list({ state: 'dead', limit: 1 })).map((view) => view.end?.code)).toEqual(['NO_RANGE']);
  });

  it('never lets a second holder send: who finds a begun send must say that its end is unknown', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job]);
    const before = await queue.counts();
    let isSending = false;
    const first = await work(queue, lane, async (delivery) => {
      await delivery.claim('n1');
      await delivery.startSending('rec-1');
      // The provider's answer to a retry of the same call: the same holder may go on.
      await delivery.startSending('rec-1');
      isSending = true;
      return await new Promise<Delivered>(() => undefined);
    });
    await until(() => isSending);
    expect(await queue.show(job.id)).toMatchObject({ state: 'sending' });
    await first.abandon();
    const claims: unknown[] = [];
    const codes: string[] = [];
    await work(
      queue,
      lane,
      async (delivery) => {
        claims.push(await delivery.claim('n1'));
        codes.push(await codeIn(delivery.startSending('rec-2')));
        return end('unknown', 'JOB_UNKNOWN');
      },
      {},
      'machine-b',
    );
    expect(await endOf(queue, job.id)).toMatchObject({ outcome: 'unknown', code: 'JOB_UNKNOWN' });
    expect(claims).toEqual([{ kind: 'begun', machine: 'machine-a', record: 'rec-1' }]);
    expect(codes).toEqual(['JOB_LOST']);
    expect((await queue.counts()).unknown).toBe(before.unknown + 1);
  });

  it('gives a job of a worker that died before sending to another, and hears nothing of the dead one', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job]);
    let release = (): void => undefined;
    let lateCode = '';
    let isHeld = false;
    const first = await work(queue, lane, async (delivery) => {
      await delivery.claim('n1');
      isHeld = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      lateCode = await codeIn(delivery.startSending('rec-1'));
      return end('sent');
    });
    await until(() => isHeld);
    await first.abandon();
    const claims: unknown[] = [];
    await work(queue, lane, async (delivery) => {
      claims.push(await delivery.claim('n1'));
      release();
      await until(() => lateCode !== '');
      await delivery.startSending('rec-2');
      return end('planned');
    });
    expect(await endOf(queue, job.id)).toMatchObject({ outcome: 'planned' });
    expect([claims, lateCode]).toEqual([[{ kind: 'yours', claims: 2 }], 'JOB_LOST']);
  });

  it('lets a holder whose bundle was turned away whole have it sent later', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job]);
    const begun: number[] = [];
    await work(queue, lane, async (delivery) => {
      const claim = await delivery.claim('n1');
      begun.push(claim.kind === 'yours' ? claim.claims : -1);
      await delivery.startSending(`rec-${begun.length}`);
      if (begun.length === 2) return end('sent');
      await delivery.turnedAway();
      return { kind: 'again', code: 'PROVIDER_STATUS' };
    });
    expect(await endOf(queue, job.id)).toMatchObject({ outcome: 'sent' });
    expect(begun).toEqual([1, 2]);
  });

  it('cancels what waits at once and what runs at its next step, never what is being sent', async () => {
    const queue = opened();
    const lane = word();
    const [waiting, running, sending] = [jobIn(lane), jobIn(lane, { priority: 1 }), jobIn(lane, { priority: 2 })];
    await queue.add([waiting]);
    expect(await queue.cancel(waiting.id)).toBe('cancelled');
    expect(await queue.cancel(waiting.id)).toBe('ended');
    expect(await queue.show(waiting.id)).toMatchObject({ end: { outcome: 'cancelled', code: 'CANCELLED' } });
    await queue.add([running, sending]);
    const seen: string[] = [];
    const said: string[] = [];
    await work(queue, lane, async (delivery) => {
      seen.push(delivery.id);
      await delivery.claim('n1');
      if (delivery.id === running.id) {
        said.push(await queue.cancel(delivery.id));
        said.push(await codeIn(delivery.startSending('rec-1')));
        return end('cancelled', 'CANCELLED');
      }
      await delivery.startSending('rec-2');
      said.push(await queue.cancel(delivery.id));
      return end('sent');
    });
    expect(await endOf(queue, sending.id)).toMatchObject({ outcome: 'sent' });
    expect(await endOf(queue, running.id)).toMatchObject({ outcome: 'cancelled' });
    expect(said).toEqual(['stopping', 'CANCELLED', 'sending']);
    expect(seen).toEqual([running.id, sending.id]);
  });

  it('refuses a nonce that is not the job’s', async () => {
    const queue = opened();
    const lane = word();
    const job = jobIn(lane);
    await queue.add([job]);
    const claims: unknown[] = [];
    await work(queue, lane, async (delivery) => {
      claims.push(await delivery.claim('n2'));
      return end('refused', 'JOB_REPLAYED');
    });
    expect(await endOf(queue, job.id)).toMatchObject({ code: 'JOB_REPLAYED' });
    expect(claims).toEqual([{ kind: 'replayed' }]);
  });

  it.each([
    { changes: { concurrency: 2 }, most: 2, what: 'of one worker' },
    { changes: { concurrency: 4, sharedConcurrency: 3 }, most: 3, what: 'of all workers together' },
  ])('keeps to the concurrency $what', async ({ changes, most }) => {
    const queue = opened();
    const lane = word();
    await queue.add(Array.from({ length: 8 }, () => jobIn(lane)));
    let [now, peak, done] = [0, 0, 0];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const run = async (delivery: Delivery): Promise<Delivered> => {
      now += 1;
      peak = Math.max(peak, now);
      await delivery.claim('n1');
      await held;
      now -= 1;
      done += 1;
      return end('planned');
    };
    await work(queue, lane, run, changes);
    if ('sharedConcurrency' in changes) await work(queue, lane, run, changes);
    await until(() => now === most);
    // Time for one too many to come.
    await pause(200);
    letGo();
    await until(() => done === 8);
    expect(peak).toBe(most);
  });

  it('keeps to the rate of a lane', async () => {
    const queue = opened();
    const lane = word();
    await queue.add(Array.from({ length: 5 }, () => jobIn(lane)));
    let begun = 0;
    await work(
      queue,
      lane,
      async (delivery) => {
        begun += 1;
        await delivery.claim('n1');
        return end('planned');
      },
      { concurrency: 5, rate: 3 },
    );
    await until(() => begun === 3);
    await pause(300);
    expect(begun).toBe(3);
  });

  it('drains: what runs ends, nothing new begins', async () => {
    const queue = opened();
    const lane = word();
    const jobs = [jobIn(lane), jobIn(lane)];
    await queue.add(jobs);
    const begun: string[] = [];
    let release = (): void => undefined;
    const worker = await work(queue, lane, async (delivery) => {
      begun.push(delivery.id);
      await delivery.claim('n1');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return end('planned');
    });
    await until(() => begun.length === 1 && worker.running() === 1);
    const drained = worker.drain();
    await pause(50);
    release();
    await drained;
    expect(worker.running()).toBe(0);
    const states = await Promise.all(jobs.map(async ({ id }) => (await queue.show(id))?.state));
    expect([begun.length, states.toSorted()]).toEqual([1, ['ended', 'waiting']]);
  });

  it('tells whoever watches how far a job is and that it ended', async () => {
    const queue = opened();
    const lane = word();
    const events: JobEvent[] = [];
    const stop = await queue.watch([lane], (event) => events.push(event));
    const job = jobIn(lane);
    const progress = { stage: 'scan', items: 3, bytes: 300, findings: 1 } as const;
    await queue.add([job]);
    await work(queue, lane, async (delivery) => {
      await delivery.claim('n1');
      delivery.progress(progress);
      await until(() => events.some(({ kind }) => kind === 'progress'));
      return end('planned');
    });
    await until(() => events.some(({ kind }) => kind === 'ended'));
    await stop();
    expect(events).toContainEqual({ kind: 'progress', id: job.id, progress });
    expect(events.at(-1)).toEqual({ kind: 'ended', id: job.id });
    expect(events).toContainEqual({ kind: 'state', id: job.id, state: 'running' });
  });

  it('notes once which job a person made of an ended one', async () => {
    const queue = opened();
    const lane = word();
    const [job, again] = [jobIn(lane), jobIn(lane)];
    await queue.add([job]);
    expect(await queue.markRetried(job.id, again.id)).toBe(false);
    await queue.cancel(job.id);
    expect(await queue.markRetried(job.id, again.id)).toBe(true);
    // The new job was never added, so the note leads nowhere and may be replaced.
    expect(await queue.markRetried(job.id, again.id)).toBe(true);
    await queue.add([again]);
    expect(await queue.markRetried(job.id, idOf())).toBe(false);
    expect(await queue.show(job.id)).toMatchObject({ retriedAs: again.id });
  });
});
