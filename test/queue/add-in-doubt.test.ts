/** Whoever is told that a job was not added must not find it run: calls that were given up may still be heard. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newJobId } from '../../src/app/jobs/make-job.js';
import { ColdsealError } from '../../src/contract/error.js';
import { CANCELLED_END, noFigures } from '../../src/contract/job.js';
import type { QueuedJob } from '../../src/contract/job-queue.js';
import { BullQueue } from '../../src/queue/bullmq-queue.js';
import { OnceStore } from '../../src/queue/once-store.js';
import { openRedisLink } from '../../src/queue/redis-link.js';
import { isWithoutRedis, startRedis, type TestRedis } from '../support/start-redis.js';
import { type Relay, startRelay } from '../support/start-relay.js';
import { until } from '../support/until.js';

const TIMES = { leaseMs: 5000, retryMs: 50, graceMs: 50 };
const PATIENCE_MS = 4000;

describe.skipIf(isWithoutRedis)('a job whose adding was given up', { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let relay: Relay;
  let far: BullQueue;
  let near: BullQueue;
  const open: { close(): Promise<void> }[] = [];
  const ran: string[] = [];

  beforeEach(async () => {
    ran.length = 0;
    redis = await startRedis();
    relay = await startRelay(redis.port);
    const queueAt = (url: string): BullQueue =>
      new BullQueue({ url, password: null, say: () => undefined, patienceMs: PATIENCE_MS }, TIMES);
    far = queueAt(`redis://127.0.0.1:${relay.port}/0`);
    near = queueAt(redis.url);
    open.push(redis, relay, far, near);
    await far.add([jobOf(9)]);
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  const jobOf = (priority: number): QueuedJob => ({
    id: newJobId(randomBytes),
    lane: 'scan',
    nonce: 'n1',
    text: 'signed',
    priority,
    keepUntilMs: Date.now() + 600_000,
  });

  const workNear = async (): Promise<void> => {
    const worker = await near.work({
      lanes: [{ lane: 'scan', concurrency: 1, sharedConcurrency: null, rate: null }],
      machine: 'machine-a',
      run: async (delivery) => {
        const claim = await delivery.claim('n1');
        if (claim.kind !== 'yours') return { kind: 'leave', code: null };
        ran.push(delivery.id);
        return { kind: 'end', end: { ...noFigures, outcome: 'scanned', code: null }, result: null };
      },
    });
    open.push({ close: () => worker.abandon() });
  };

  const codeOf = async (call: Promise<unknown>): Promise<string> => {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    return error instanceof ColdsealError ? `${error.code} ${error.message}` : `no refusal: ${String(error)}`;
  };

  /** True from the nth bytes on that name the job. */
  const fromMention = (id: string, nth: number): ((bytes: Buffer) => boolean) => {
    let seen = 0;
    return (bytes) => {
      if (bytes.includes(id)) seen += 1;
      return seen >= nth;
    };
  };

  /** After it was told: of all that waits, a job of a later turn. Once that ran, the job in doubt would have run too. */
  const runAll = async (): Promise<void> => {
    const last = jobOf(9);
    await near.add([last]);
    await workNear();
    await until('the job of a later turn', () => ran.includes(last.id));
  };

  it.each([
    ['its state', 1],
    ['itself', 2],
  ])('is taken back when %s comes to the server late', async (_what, nth) => {
    const job = jobOf(1);
    relay.hold('client', fromMention(job.id, nth));
    const told = codeOf(far.add([job]));
    // The call that was given up and, behind it, the word to take it back.
    await until('the word to take it back', () => relay.held('client').includes('taken'));
    relay.letGo();
    expect(await told).toMatch(/^QUEUE_SLOW /);
    await runAll();
    expect(ran).not.toContain(job.id);
    expect(await near.show(job.id)).toMatchObject({ state: 'ended', claims: 0, end: { outcome: 'cancelled' } });
  });

  it('and that a worker has by then is told as in doubt, with its name, and runs once', async () => {
    const job = jobOf(1);
    const isAdded = fromMention(job.id, 2);
    const isTakenBack = fromMention(job.id, 3);
    relay.hold('client', (bytes) => {
      if (isAdded(bytes)) relay.hold('server', () => true);
      return isTakenBack(bytes);
    });
    const told = codeOf(far.add([job]));
    await workNear();
    await until('that the job ran', async () => (await near.show(job.id))?.end);
    expect(await told).toMatch(new RegExp(`^JOB_UNKNOWN .*${job.id}`));
    expect(await near.show(job.id)).toMatchObject({ claims: 1, end: { outcome: 'scanned' } });
  });

  it('because the server ran full in the middle does not run', async () => {
    const job = jobOf(1);
    const isAdded = fromMention(job.id, 2);
    relay.hold('client', isAdded);
    const told = codeOf(far.add([job]));
    await until('the job behind its state', () => relay.held('client').includes(job.id));
    await redis.admin((client) => client.config('SET', 'maxmemory', '1'));
    relay.letGo();
    expect(await told).toMatch(/^QUEUE_FULL /);
    await redis.admin((client) => client.config('SET', 'maxmemory', '0'));
    await runAll();
    expect(ran).not.toContain(job.id);
    expect(await near.show(job.id)).toBeNull();
  });

  it('does not take back what another call had added before', async () => {
    const job = jobOf(1);
    await near.add([job]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    relay.hold('client', fromMention(job.id, 2));
    const told = codeOf(far.add([job]));
    await until('the word to take it back', () => relay.held('client').includes('taken'));
    relay.letGo();
    expect(await told).toMatch(/^JOB_UNKNOWN /);
    await runAll();
    expect(ran).toContain(job.id);
  });

  it('does not come to life when the call is heard after it was taken back', async () => {
    const job = jobOf(1);
    const link = openRedisLink({ url: redis.url, password: null, say: () => undefined, patienceMs: PATIENCE_MS });
    open.push(link);
    const once = new OnceStore(link);
    expect(await once.takeBack([job], 1, CANCELLED_END)).toEqual([true]);
    await once.add([job], 1);
    expect(await near.show(job.id)).toMatchObject({ state: 'ended', end: CANCELLED_END });
  });
});
