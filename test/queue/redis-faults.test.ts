/** Redis in trouble: a closed code, one line when it begins and one when it is over, no busy loop, recovery by itself. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { noFigures } from '../../src/contract/job.js';
import type { QueuedJob } from '../../src/contract/job-queue.js';
import { BullQueue } from '../../src/queue/bullmq-queue.js';
import { isWithoutRedis, startRedis, type TestRedis } from '../support/start-redis.js';
import { until } from '../support/until.js';

const TIMES = { leaseMs: 1000, retryMs: 50, graceMs: 50 };
const PATIENCE_MS = 1500;
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const redisOf = async (words: readonly string[] = [], password: string | null = null): Promise<TestRedis> => {
  const redis = await startRedis(words, password);
  opened.push(redis);
  return redis;
};

const queueAt = (url: string, lines: string[], password: string | null = null): BullQueue => {
  const queue = new BullQueue({ url, password, say: (line) => lines.push(line), patienceMs: PATIENCE_MS }, TIMES);
  opened.push(queue);
  return queue;
};

const jobIn = (lane: string): QueuedJob => ({
  id: `job-${'a'.repeat(14)}${randomBytes(6)
    .toString('hex')
    .replaceAll(/[0189]/g, 'b')}`,
  lane,
  nonce: 'n1',
  text: 'signed',
  priority: 5,
  keepUntilMs: Date.now() + 60_000,
});

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'none';
  } catch (error) {
    return error instanceof ColdsealError ? `${error.code} ${error.message}` : `no code: ${String(error)}`;
  }
};

const workOn = async (queue: BullQueue, done: string[]): Promise<void> => {
  const lane = { lane: 'scan', concurrency: 1, sharedConcurrency: null, rate: null };
  const worker = await queue.work({
    lanes: [lane],
    machine: 'machine-a',
    run: async (delivery) => {
      const claim = await delivery.claim('n1');
      if (claim.kind !== 'yours') return { kind: 'leave', code: null };
      done.push(delivery.id);
      return { kind: 'end', end: { ...noFigures, outcome: 'scanned', code: null }, result: null };
    },
  });
  opened.push({ close: () => worker.abandon() });
};

interface Fault {
  readonly what: string;
  readonly code: string;
  readonly begin: (redis: TestRedis) => Promise<unknown>;
  readonly finish: (redis: TestRedis) => Promise<unknown>;
  /** It answers no question meanwhile. */
  readonly isMute?: boolean;
  /** Lines of the log that a busy loop would write. */
  readonly most: number;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'gone',
    isMute: true,
    code: 'QUEUE_UNREACHABLE',
    begin: (redis) => redis.kill(),
    finish: (redis) => redis.start(),
    most: 40,
  },
  {
    what: 'slow',
    isMute: true,
    code: 'QUEUE_SLOW',
    begin: async (redis) => redis.signal('SIGSTOP'),
    finish: async (redis) => redis.signal('SIGCONT'),
    most: 40,
  },
  {
    what: 'full',
    code: 'QUEUE_FULL',
    begin: (redis) => redis.admin((client) => client.config('SET', 'maxmemory', '1')),
    finish: (redis) => redis.admin((client) => client.config('SET', 'maxmemory', '0')),
    most: 40,
  },
  {
    what: 'a replica, as after a failover',
    code: 'QUEUE_SWITCHING',
    begin: (redis) => redis.admin((client) => client.replicaof('127.0.0.1', redis.port)),
    finish: (redis) => redis.admin((client) => client.replicaof('NO', 'ONE')),
    most: 60,
  },
  {
    what: 'a replica that has lost its primary',
    code: 'QUEUE_SWITCHING',
    begin: (redis) =>
      redis.admin(async (client) => {
        await client.config('SET', 'replica-serve-stale-data', 'no');
        await client.replicaof('127.0.0.1', redis.port);
      }),
    finish: (redis) => redis.admin((client) => client.replicaof('NO', 'ONE')),
    most: 60,
  },
  {
    what: 'reading its log',
    isMute: true,
    code: 'QUEUE_SWITCHING',
    begin: async (redis) => {
      // It answers between two thousand commands of its log.
      await redis.admin((client) => client.eval("for at = 1, 20000 do redis.call('SET', 'fill' .. at, at) end", 0));
      await redis.kill();
      // Resolves once it has read it.
      starting = redis.start(['--key-load-delay', '400']);
    },
    finish: () => starting,
    most: 60,
  },
];

let starting: Promise<void> = Promise.resolve();

describe.skipIf(isWithoutRedis)('a Redis that is', { timeout: 120_000 }, () => {
  it.each(FAULTS)(
    '$what: $code, and the same worker goes on when it is over',
    async ({ code, isMute = false, begin, finish, most }) => {
      const redis = await redisOf();
      const [lines, done]: [string[], string[]] = [[], []];
      const queue = queueAt(redis.url, lines);
      const first = jobIn('scan');
      await queue.add([first]);
      await workOn(queue, done);
      await until('the first job', async () => (await queue.show(first.id))?.end);
      await begin(redis);
      const commandsBefore = isMute ? 0 : await commandsOf(redis);
      const refused = await until(`a refusal with ${code}`, async () => {
        const said = await codeOf(queue.add([jobIn('scan')]));
        return said.startsWith(code) ? said : null;
      });
      expect(refused).toMatch(new RegExp(`^${code} the queue at redis://127\\.0\\.0\\.1:${redis.port}/0 `));
      await pause(2000);
      // Two seconds of a busy loop are thousands of commands.
      if (!isMute) expect((await commandsOf(redis)) - commandsBefore).toBeLessThan(200);
      expect(lines.filter((line) => line.includes(code)).length).toBeLessThanOrEqual(most / 20);
      await finish(redis);
      const second = jobIn('scan');
      await until('that jobs are added again', async () => (await codeOf(queue.add([second]))) === 'none');
      await until('the second job', () => done.includes(second.id), 40_000);
      // Told once each: what is wrong, and that it is over.
      await until('the word that it is over', () => lines.at(-1)?.endsWith('answers again'));
    },
  );

  it('closed to a wrong password: QUEUE_AUTH at once, no password in a message, and a corrected one needs no restart', async () => {
    const [right, wrong] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    const redis = await redisOf(['--requirepass', right], right);
    const lines: string[] = [];
    const queue = queueAt(redis.url, lines, wrong);
    const startedMs = Date.now();
    const refused = await codeOf(queue.add([jobIn('scan')]));
    expect([refused.split(' ')[0], Date.now() - startedMs < PATIENCE_MS + 1000]).toEqual(['QUEUE_AUTH', true]);
    expect(`${refused}\n${lines.join('\n')}`).not.toContain(wrong);
    expect(await codeOf(queueAt(`redis://:${wrong}@127.0.0.1:${redis.port}/0`, lines).counts())).toMatch(
      new RegExp(`^QUEUE_AUTH the queue at redis://127\\.0\\.0\\.1:${redis.port}/0 `),
    );
    expect(lines.join('\n')).not.toContain(wrong);
    await redis.admin((client) => client.config('SET', 'requirepass', wrong));
    await until('that the password fits', async () => (await codeOf(queue.add([jobIn('scan')]))) === 'none');
  });

  it.each([
    { what: 'keeps no log', words: ['--appendonly', 'no'], says: 'appendonly is not yes' },
    { what: 'writes its log later', words: ['--appendfsync', 'everysec'], says: 'appendfsync is not always' },
    { what: 'evicts keys', words: ['--maxmemory-policy', 'allkeys-lru'], says: 'not noeviction' },
  ])('one that $what takes no sends: QUEUE_UNSAFE', async ({ words, says }) => {
    const redis = await redisOf(words);
    const queue = queueAt(redis.url, []);
    for (const call of [queue.requireDurable(), queue.add([jobIn('send-acme')])]) {
      const refused = await codeOf(call);
      expect(refused).toMatch(/^QUEUE_UNSAFE /);
      expect(refused).toContain(says);
    }
    expect(await codeOf(queue.add([jobIn('scan')]))).toBe('none');
  });
});

/** Commands the server has run. */
const commandsOf = async (redis: TestRedis): Promise<number> => {
  const info = await redis.admin((client) => client.info('stats'));
  return Number(/total_commands_processed:(\d+)/.exec(info)?.[1] ?? 0);
};
