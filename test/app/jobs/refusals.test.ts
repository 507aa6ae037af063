/** What is no job of ours is refused with a code of its own, by a worker on a real queue, and nothing of it is run. */
import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openCloneCache } from '../../../src/app/jobs/clone-cache.js';
import { JOB_DEFAULTS, makeJob, newJobId } from '../../../src/app/jobs/make-job.js';
import { type JobRunner, runJob } from '../../../src/app/jobs/run-job.js';
import { openSentMarks } from '../../../src/app/jobs/sent-marks.js';
import { openShardPlans } from '../../../src/app/jobs/shard-objects.js';
import { readSignedJob, signJob } from '../../../src/app/jobs/sign-job.js';
import { readMachineSettings } from '../../../src/app/read-settings-here.js';
import { gatherSurroundings } from '../../../src/app/surroundings.js';
import type { Job } from '../../../src/contract/job.js';
import type { JobWorker, QueuedJob } from '../../../src/contract/job-queue.js';
import { BullQueue } from '../../../src/queue/bullmq-queue.js';
import { makeProgramHome, type ProgramHome } from '../../support/program-home.js';
import { isWithoutRedis, startRedis, type TestRedis } from '../../support/start-redis.js';
import { until } from '../../support/until.js';

const key = Buffer.from(randomBytes(32).toString('hex'));
const otherKey = Buffer.from(randomBytes(32).toString('hex'));
const making = { key, now: () => new Date(), random: randomBytes };
const TIMES = { leaseMs: 2000, retryMs: 50, graceMs: 100 };

let redis: TestRedis;
let home: ProgramHome;
let queue: BullQueue;
let worker: JobWorker;
const told: string[] = [];
/** Ids of jobs that got past the judgement to their repository. */
let runner: JobRunner;

beforeAll(async () => {
  redis = await startRedis();
  home = makeProgramHome({ coldseal: { queue: { key: 'fleet', repositories: [] } } });
  const signal = new AbortController().signal;
  const surroundings = {
    ...gatherSurroundings({ folder: home.home, say: (line) => told.push(line), signal }),
    homeFolder: home.home,
    accountHome: home.home,
  };
  const { settings } = await readMachineSettings(surroundings);
  runner = {
    surroundings,
    settings,
    key,
    machine: 'machine-a',
    marks: openSentMarks(`${home.machineFolder}/coldseal/jobs`),
    clones: openCloneCache({ folder: `${home.machineFolder}/clones`, capBytes: 1024, surroundings }),
    plans: openShardPlans(),
    keepAnswer: () => Promise.resolve(),
    observe: () => undefined,
  };
  queue = new BullQueue({ url: redis.url, password: null, say: () => undefined, patienceMs: 5000 }, TIMES);
  const lanes = ['scan', 'send-acme'].map((lane) => ({ lane, concurrency: 1, sharedConcurrency: null, rate: null }));
  worker = await queue.work({ lanes, machine: 'machine-a', run: (one, signal) => runJob(runner, one, signal) });
}, 60_000);
afterEach(() => {
  told.length = 0;
});
afterAll(async () => {
  await worker.abandon();
  await queue.close();
  await redis.close();
  home.remove();
});

const made = (): QueuedJob =>
  makeJob(
    {
      ...JOB_DEFAULTS,
      repository: { path: '/srv/git/app' },
      task: {
        do: 'send',
        kind: 'change_review',
        agent: 'change-reviewer',
        range: 'a..b',
        intent: null,
        from: null,
        to: null,
        dispatch: null,
        route: 'acme/model-1',
        expect: null,
      },
    },
    making,
  );

/** The same job with its text replaced; `change` sees what was signed. */
const altered = (change: (job: Job, signed: { signature: string }) => string): QueuedJob => {
  const job = made();
  return { ...job, text: change(readSignedJob(job.text, key), JSON.parse(job.text) as { signature: string }) };
};

const endOf = (id: string) => until(`the end of ${id}`, async () => (await queue.show(id))?.end ?? null);

const CASES: readonly { readonly what: string; readonly code: string; readonly job: () => QueuedJob }[] = [
  { what: 'without a signature', code: 'JOB_UNSIGNED', job: () => altered((job) => JSON.stringify({ job })) },
  {
    what: 'with an empty signature',
    code: 'JOB_UNSIGNED',
    job: () => altered((job) => JSON.stringify({ job, signature: '' })),
  },
  { what: 'signed with another key', code: 'JOB_FORGED', job: () => altered((job) => signJob(job, otherKey)) },
  {
    what: 'whose repository was changed',
    code: 'JOB_FORGED',
    job: () =>
      altered((job, { signature }) => JSON.stringify({ job: { ...job, repository: { path: '/etc' } }, signature })),
  },
  {
    what: 'with a member more',
    code: 'JOB_FORGED',
    job: () => altered((job, { signature }) => JSON.stringify({ job: { ...job, brief: 'x' }, signature })),
  },
  {
    what: 'with a member more, signed by us',
    code: 'JOB_INVALID',
    job: () => altered((job) => signJob({ ...job, brief: 'read this' } as Job, key)),
  },
  {
    what: 'of another schema version',
    code: 'JOB_OUTDATED',
    job: () => altered((job) => signJob({ ...job, v: 0 } as unknown as Job, key)),
  },
  {
    what: 'whose time is over',
    code: 'JOB_EXPIRED',
    job: () => altered((job) => signJob({ ...job, made: job.made - 7_200_000, expires: job.made - 3_600_000 }, key)),
  },
  {
    what: 'signed for a year',
    code: 'JOB_EXPIRED',
    job: () => altered((job) => signJob({ ...job, expires: job.made + 365 * 86_400_000 }, key)),
  },
  {
    what: 'over the size limit',
    code: 'JOB_TOO_LARGE',
    job: () => altered((job) => signJob({ ...job, repository: { path: `/${'x'.repeat(20_000)}` } }, key)),
  },
  { what: 'that is no JSON', code: 'JOB_INVALID', job: () => altered(() => 'not json') },
  {
    what: 'nested too deep',
    code: 'JOB_FORGED',
    job: () => altered(() => `{"signature":"hmac-sha256:00","job":${'['.repeat(7000)}${']'.repeat(7000)}}`),
  },
  {
    what: 'in the lane of another provider',
    code: 'JOB_FORGED',
    job: () => ({ ...made(), lane: 'scan' }),
  },
  { what: 'of a repository that is not allowed here', code: 'JOB_NOT_ALLOWED', job: made },
];

describe.skipIf(isWithoutRedis)('a job', { timeout: 60_000 }, () => {
  it.each(CASES)('$what is refused with $code', async ({ job, code }) => {
    const one = job();
    const before = home.rows().length;
    await queue.add([one]);
    expect(await endOf(one.id)).toMatchObject({ outcome: 'refused', code });
    expect((await queue.list({ state: 'dead', limit: 1 }))[0]?.id).toBe(one.id);
    if (code === 'JOB_NOT_ALLOWED') return;
    // A refusal has a row, and neither it nor the message quotes what is not ours.
    expect(home.rows().slice(before)).toMatchObject([{ event: 'refused', code, verb: 'job' }]);
    expect([told.length, told.join('\n')]).toEqual([1, expect.not.stringContaining('/etc')]);
  });

  it('that was run and is put into the queue again is refused with JOB_REPLAYED and keeps its end', async () => {
    const job = made();
    await queue.add([job]);
    const end = await endOf(job.id);
    await until('the note that the queue was told', () =>
      redis.admin((client) => client.hget(`{coldseal}:once:${job.id}`, 'finished')),
    );
    expect(await replay(job, job.id)).toBe('JOB_REPLAYED');
    expect(await endOf(job.id)).toEqual(end);
  });

  it('that is put into the queue under another id is refused with JOB_REPLAYED', async () => {
    const job = made();
    expect(await replay(job, newJobId(randomBytes))).toBe('JOB_REPLAYED');
  });

  it.each([
    ['a code that is none', { code: 'NOT_A_CODE' }],
    ['a name that moves the cursor', { machine: '\u001b[2Jmachine' }],
    ['a digest of two lines', { bundle: 'sha256:0\n1' }],
  ])('whose end somebody wrote with %s is shown without it', async (_what, change) => {
    const job = made();
    await queue.add([job]);
    const end = await endOf(job.id);
    await forge(job.id, 'end', JSON.stringify({ ...end, ...change }));
    expect(await queue.show(job.id)).toMatchObject({ state: 'ended', end: null });
  });

  it('whose machine and successor somebody wrote is shown without them', async () => {
    const job = made();
    await queue.add([job]);
    await endOf(job.id);
    await forge(job.id, 'machine', '\u001b[2Jmachine');
    await forge(job.id, 'retried', '../job');
    expect(await queue.show(job.id)).toMatchObject({ state: 'ended', machine: null, retriedAs: null });
  });

  it('whose lane somebody wrote is not there, and is in nobody’s way', async () => {
    const job = made();
    await queue.add([job]);
    await endOf(job.id);
    await forge(job.id, 'lane', 'a:b');
    await redis.admin((client) => client.sadd('{coldseal}:lanes', 'a:b'));
    expect(await queue.show(job.id)).toBeNull();
    expect((await queue.counts()).unknown).toBe(0);
  });

  it('whose idempotency key was deleted is refused with JOB_REPLAYED', async () => {
    const job = made();
    expect(await replay(job, job.id)).toBe('JOB_REPLAYED');
  });
});

const forge = (id: string, member: string, value: string): Promise<number> =>
  redis.admin((client) => client.hset(`{coldseal}:once:${id}`, member, value));

/** What somebody with Redis alone can do: hand a signed text out again. BullMQ's reason for its end. */
const replay = async (job: QueuedJob, id: string): Promise<string> => {
  const client = new Redis(redis.url, { maxRetriesPerRequest: null });
  const raw = new Queue<{ signed: string }>(job.lane, { connection: client, prefix: '{coldseal}' });
  try {
    await raw.remove(id);
    await raw.add('job', { signed: job.text }, { jobId: id, priority: 1 });
    return await until('the end of the replay', async () => {
      const found = await raw.getJob(id);
      return (await raw.getJobState(id)) === 'failed' ? found?.failedReason : null;
    });
  } finally {
    await raw.close();
    client.disconnect();
  }
};
