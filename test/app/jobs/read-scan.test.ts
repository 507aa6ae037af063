/** A scan read from a queue that somebody else can write to: bounded, whatever its marks say. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scanJobs } from '../../../src/app/jobs/ask-jobs.js';
import { JOB_DEFAULTS } from '../../../src/app/jobs/make-job.js';
import { readScan } from '../../../src/app/jobs/read-scan.js';
import { retryJob } from '../../../src/app/jobs/retry-job.js';
import { ColdsealError } from '../../../src/contract/error.js';
import type { JobQueue } from '../../../src/contract/job-queue.js';
import { MemoryQueue } from '../../../src/queue/memory-queue.js';

const making = { key: randomBytes(32), now: () => new Date(), random: randomBytes };
const TIMES = { leaseMs: 1000, retryMs: 50, graceMs: 50 };

const scanOf = (shards: number) =>
  scanJobs(
    { repository: { path: '/srv/git/app' }, commit: 'a'.repeat(40), range: null, shards, limits: JOB_DEFAULTS },
    making,
  );

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const reason: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  return reason instanceof ColdsealError ? reason.code : String(reason);
};

/** The queue as it is, but for the successors that somebody wrote. */
const forged = (
  queue: JobQueue,
  successors: Readonly<Record<string, string>>,
): { queue: JobQueue; asked: () => number } => {
  let asked = 0;
  const show: JobQueue['show'] = async (id) => {
    asked += 1;
    // A walk without end would run out of memory long after; this one is plain.
    if (asked > 10_000) throw new Error('asked without end');
    const view = await queue.show(id);
    const retriedAs = successors[id];
    return view === null || retriedAs === undefined ? view : { ...view, retriedAs };
  };
  return {
    queue: new Proxy(queue, { get: (on, name) => (name === 'show' ? show : Reflect.get(on, name, on)) }),
    asked: () => asked,
  };
};

describe('a sharded scan', () => {
  it('follows a shard to the job that a person made of it', async () => {
    const queue = new MemoryQueue(() => Date.now(), TIMES);
    const { group, jobs } = scanOf(2);
    await queue.add(jobs);
    const [first] = jobs;
    await queue.cancel(first?.id ?? '');
    const again = await retryJob(queue, first?.id ?? '', false, making);
    expect(await readScan(queue, group, making.key)).toMatchObject({ shards: 2, ended: 0, failed: [] });
    await queue.cancel(again);
    expect((await readScan(queue, group, making.key)).failed.map(({ id }) => id)).toEqual([again]);
    await queue.close();
  });

  it('refuses successors that lead in a circle', async () => {
    const queue = new MemoryQueue(() => Date.now(), TIMES);
    const { group, jobs } = scanOf(2);
    await queue.add(jobs);
    const [first = '', second = ''] = jobs.map(({ id }) => id);
    const { queue: forgedQueue, asked } = forged(queue, { [first]: second, [second]: first });
    expect(await codeOf(readScan(forgedQueue, group, making.key))).toBe('JOB_FORGED');
    expect(asked()).toBeLessThan(10);
    await queue.close();
  });
});
