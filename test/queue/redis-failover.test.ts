/**
 * One Redis takes over from another behind an address that stays, as Sentinel, a cluster manager or a cloud does it for
 * whoever has one. What runs goes on by itself; no job is lost, none is sent twice, nobody connects in a loop.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newJobId } from '../../src/app/jobs/make-job.js';
import { ColdsealError } from '../../src/contract/error.js';
import { noFigures } from '../../src/contract/job.js';
import type { QueuedJob } from '../../src/contract/job-queue.js';
import { BullQueue } from '../../src/queue/bullmq-queue.js';
import { isWithoutRedis, startRedis, type TestRedis } from '../support/start-redis.js';
import { type Relay, startRelay } from '../support/start-relay.js';
import { until } from '../support/until.js';

const TIMES = { leaseMs: 5000, retryMs: 50, graceMs: 50 };
const PATIENCE_MS = 3000;
const LOOK_MS = 3000;
/** By then its end was noticed: nobody finds it out by asking. */
const NOTICED_MS = 500;
/** Three connections that come back at growing intervals, for three seconds; a loop on loopback makes hundreds. */
const MOST_CONNECTIONS = 45;

describe.skipIf(isWithoutRedis)('a fleet whose Redis fails over', { timeout: 180_000 }, () => {
  let primary: TestRedis;
  let replica: TestRedis;
  let relay: Relay;
  let queue: BullQueue;
  const open: { close(): Promise<void> }[] = [];
  const lines: string[] = [];
  const sent: string[] = [];
  let letGo = (): void => undefined;

  beforeEach(async () => {
    lines.length = 0;
    sent.length = 0;
    primary = await startRedis();
    open.push(primary);
    replica = await startRedis(['--replicaof', '127.0.0.1', String(primary.port)]);
    open.push(replica);
    await until(
      'the replica',
      async () => fact(await replica.admin((client) => client.info('replication')), 'master_link_status') === 'up',
    );
    relay = await startRelay(primary.port);
    open.push(relay);
    const url = `redis://127.0.0.1:${relay.port}/0`;
    queue = new BullQueue({ url, password: null, say: (line) => lines.push(line), patienceMs: PATIENCE_MS }, TIMES);
    open.push(queue);
  });
  afterEach(async () => {
    letGo();
    for (const one of open.splice(0).reverse()) await one.close();
  });

  const fact = (info: string, name: string): string | null =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;

  const jobOf = (): QueuedJob => ({
    id: newJobId(randomBytes),
    lane: 'send-acme',
    nonce: 'n1',
    text: 'signed',
    priority: 5,
    keepUntilMs: Date.now() + 600_000,
  });

  const codeOf = async (call: Promise<unknown>): Promise<string> => {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    return error === null ? 'none' : error instanceof ColdsealError ? `${error.code} ${error.message}` : String(error);
  };

  /** Sends as a runner does; the first one stands in the middle of its send until it is let go. */
  const work = async (refused: string[] = []): Promise<void> => {
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const worker = await queue.work({
      lanes: [{ lane: 'send-acme', concurrency: 1, sharedConcurrency: null, rate: null }],
      machine: 'machine-a',
      run: async (delivery) => {
        const claim = await delivery.claim('n1');
        if (claim.kind === 'begun') {
          return { kind: 'end', end: { ...noFigures, outcome: 'unknown', code: 'JOB_UNKNOWN' }, result: null };
        }
        if (claim.kind !== 'yours') return { kind: 'leave', code: null };
        const begun = await codeOf(delivery.startSending(`rec-${delivery.id}`));
        if (begun !== 'none') {
          refused.push(begun);
          return { kind: 'again', code: 'QUEUE_SLOW' };
        }
        sent.push(delivery.id);
        if (sent.length === 1) await held;
        return { kind: 'end', end: { ...noFigures, outcome: 'sent', code: null }, result: null };
      },
    });
    open.push({ close: () => worker.abandon() });
  };

  /** Everything that was written by now is with the replica. */
  const caughtUp = async (): Promise<void> => {
    const due = Number(fact(await primary.admin((client) => client.info('replication')), 'master_repl_offset'));
    await until('the replica to catch up', async () => {
      const info = await replica.admin((client) => client.info('replication'));
      return Number(fact(info, 'slave_repl_offset')) >= due;
    });
  };

  it('goes on with the replica that was promoted: every job ends once, sent once', async () => {
    const jobs = Array.from({ length: 12 }, jobOf);
    await queue.add(jobs);
    await work();
    await until('a send in the middle', () => sent.length === 1);
    await caughtUp();
    await primary.kill();
    await pause(NOTICED_MS);
    expect(await codeOf(queue.add([jobOf()]))).toMatch(/^QUEUE_UNREACHABLE /);
    // The address leads to the other server before that one is promoted.
    relay.lead(replica.port);
    await until('the word of the replica', async () =>
      /^QUEUE_SWITCHING .* replica/.test(await codeOf(queue.add([jobOf()]))),
    );
    const before = relay.connections();
    await pause(LOOK_MS);
    expect(relay.connections() - before).toBeLessThan(MOST_CONNECTIONS);
    expect(lines).toContainEqual(expect.stringMatching(/QUEUE_UNREACHABLE: .* cannot be reached/));
    expect(lines.at(-1)).toMatch(/QUEUE_SWITCHING: .* it is a replica, loading or failing over/);
    await replica.admin((client) => client.replicaof('NO', 'ONE'));
    letGo();
    for (const { id } of jobs) {
      await until(`the end of ${id}`, async () => (await queue.show(id).catch(() => null))?.end, 90_000);
    }
    const ends = await Promise.all(jobs.map(async ({ id }) => (await queue.show(id))?.end?.outcome));
    expect(ends).toEqual(jobs.map(() => 'sent'));
    expect(sent.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
    expect(lines.at(-1)).toMatch(/ answers again$/);
    // One line for each thing that went wrong and one for its end, whatever was tried meanwhile.
    expect(lines.length).toBeLessThanOrEqual(8);
  });

  it('begins no send that the replica has not heard of, and begins it anew when that is back', async () => {
    const job = jobOf();
    replica.signal('SIGSTOP');
    const refused: string[] = [];
    await work(refused);
    await queue.add([job]);
    await until('the refusal', () => refused.length > 0);
    expect([sent, refused[0]]).toEqual([[], expect.stringMatching(/^QUEUE_SLOW /)]);
    replica.signal('SIGCONT');
    await until('the send', () => sent.length === 1);
    letGo();
    await until('the end', async () => (await queue.show(job.id))?.end);
    expect(await queue.show(job.id)).toMatchObject({ end: { outcome: 'sent' } });
    expect(sent).toEqual([job.id]);
  });
});
