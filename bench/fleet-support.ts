/**
 * Chaos over a fleet: real workers on one Redis, killed at random, Redis killed and started again, every send counted at
 * the provider. The verdict is about all of it: each job ends exactly once, no range is read twice, nothing is lost, the
 * records verify, and nothing that may not stand in Redis ever did.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundleJob } from '../src/app/jobs/ask-jobs.js';
import { JOB_DEFAULTS } from '../src/app/jobs/make-job.js';
import { readMachineSettings } from '../src/app/read-settings-here.js';
import { gatherSurroundings } from '../src/app/surroundings.js';
import { ColdsealError } from '../src/contract/error.js';
import type { JobEnd } from '../src/contract/job.js';
import type { QueuedJob } from '../src/contract/job-queue.js';
import { BullQueue } from '../src/queue/bullmq-queue.js';
import { readScript } from '../src/sandbox/script.js';
import { type FleetMachine, type FleetWorker, type FleetWorld, openFleetWorld } from '../test/support/fleet-world.js';
import { gitTestEnvironment } from '../test/support/make-repository.js';

export interface ChaosWords {
  readonly jobs: number;
  readonly workers: number;
  /** Machines the workers are spread over, each with records and marks of its own. */
  readonly machines: number;
  readonly redisRestarts: number;
  /** Workers killed on the way, spread over the jobs at random. */
  readonly kills: number;
  /** The built program. */
  readonly program: string;
  readonly say: (line: string) => void;
}

export interface ChaosReport {
  readonly ends: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly redisRestarts: number;
  readonly seconds: number;
  /** Of the workers and what they started, a job; `null` where the system does not say. */
  readonly cpuSecondsPerJob: number | null;
  /** Bytes of Redis' memory that a job took, waiting and signed. */
  readonly bytesPerJob: number;
  /** The same once it ended. */
  readonly bytesPerEndedJob: number;
  /** What is broken; empty for a fleet that held. */
  readonly faults: readonly string[];
}

const COMMITS_A_REPOSITORY = 100;
const MARKER = 'words-that-only-an-item-has';
const LOOK_MS = 100;

interface MadeJob {
  readonly job: QueuedJob;
  readonly range: string;
}

export const runChaos = async (words: ChaosWords): Promise<ChaosReport> => {
  const world = await openFleetWorld(words.program);
  const secret = `ghp_${randomBytes(40)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 36)}`;
  const queue = new BullQueue({ url: world.redis.url, password: null, say: () => undefined, patienceMs: 3000 });
  try {
    world.sandbox.play(readScript({ replies: [{}, { waitMs: 80 }, { waitMs: 300 }], after: 'repeat' }));
    const machines = Array.from({ length: words.machines }, () => world.machine());
    const made = await makeJobs(world, machines[0] ?? world.machine(), words.jobs, secret);
    const before = await usedBytes(world);
    for (let at = 0; at < made.length; at += 200) await queue.add(made.slice(at, at + 200).map(({ job }) => job));
    const bytesPerJob = Math.round(((await usedBytes(world)) - before) / made.length);
    words.say(`${made.length} jobs added, ${bytesPerJob} bytes of Redis each`);
    const startedMs = performance.now();
    const cpuBefore = childSeconds();
    const { kills, restarts } = await storm(words, world, machines, queue);
    const seconds = (performance.now() - startedMs) / 1000;
    await world.stopWorkers();
    const cpuAfter = childSeconds();
    const cpuSecondsPerJob = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / made.length;
    const bytesPerEndedJob = Math.round(((await usedBytes(world)) - before) / made.length);
    const { ends, faults } = await judge(words, world, machines, queue, made, secret);
    return {
      ends,
      kills,
      redisRestarts: restarts,
      seconds,
      cpuSecondsPerJob,
      bytesPerJob,
      bytesPerEndedJob,
      faults,
    };
  } finally {
    await queue.close();
    await world.close();
  }
};

/** Processor seconds of children that ended, theirs among them. */
const childSeconds = (): number | null => {
  if (!existsSync('/proc/self/stat')) return null;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
};

/** Runs until nothing waits; kills and restarts on the way. */
const storm = async (
  { jobs, workers: count, redisRestarts, kills: deaths, say }: ChaosWords,
  { redis }: FleetWorld,
  machines: readonly FleetMachine[],
  queue: BullQueue,
): Promise<{ readonly kills: number; readonly restarts: number }> => {
  const start = (at: number): FleetWorker => {
    const machine = machines[at % machines.length];
    if (machine === undefined) throw new Error('a fleet has a machine');
    return machine.work(['--lane', 'send-sandbox', '--concurrency', '4', '-q']);
  };
  const workers = Array.from({ length: count }, (_, at) => start(at));
  let [kills, restarts] = [0, 0];
  // By jobs, not by the clock: a fast machine ends them all before any pause is over, and nothing would have died.
  const deathIn = (share: number): number => ((share + Math.random()) * jobs) / (deaths + 1);
  let nextDeath = deathIn(0);
  for (;;) {
    await pause(LOOK_MS);
    const left = await leftIn(queue);
    if (left === 0) return { kills, restarts };
    if (left === null) continue;
    const done = jobs - left;
    if (restarts < redisRestarts && done >= ((restarts + 1) * jobs) / (redisRestarts + 1)) {
      restarts += 1;
      say(`${done} ended; Redis is killed (${restarts} of ${redisRestarts})`);
      await redis.kill();
      await pause(1000);
      await redis.start();
    }
    if (kills < deaths && done >= nextDeath) {
      const at = Math.floor(Math.random() * workers.length);
      await workers[at]?.end('SIGKILL');
      workers[at] = start(at);
      kills += 1;
      if (kills % 10 === 0) say(`${done} ended, ${kills} workers killed`);
      nextDeath = deathIn(kills);
    }
  }
};

/** `null` while Redis is away. */
const leftIn = async (queue: BullQueue): Promise<number | null> => {
  try {
    const { waiting, delayed, running } = await queue.counts();
    return waiting + delayed + running;
  } catch (error) {
    if (error instanceof ColdsealError && error.code.startsWith('QUEUE_')) return null;
    throw error;
  }
};

const judge = async (
  { jobs, program }: ChaosWords,
  world: FleetWorld,
  machines: readonly FleetMachine[],
  queue: BullQueue,
  made: readonly MadeJob[],
  secret: string,
): Promise<Pick<ChaosReport, 'ends' | 'faults'>> => {
  const faults: string[] = [];
  const ends: Record<string, number> = {};
  const reads = new Map<string, number>();
  for (const range of world.ranges()) reads.set(range, (reads.get(range) ?? 0) + 1);
  const sentRecords = new Set(machines.flatMap(({ home }) => recordsSent(home.rows())));
  for (const { job, range } of made) {
    const end = (await queue.show(job.id))?.end ?? null;
    const name = end === null ? 'lost' : end.code === null ? end.outcome : `${end.outcome} ${end.code}`;
    ends[name] = (ends[name] ?? 0) + 1;
    const fault = faultOf(end, reads.get(range) ?? 0, sentRecords);
    if (fault !== null) faults.push(`${job.id}: ${fault}`);
    const times = await world.redis.admin((redis) => redis.hget(`{coldseal}:once:${job.id}`, 'ends'));
    if (times !== '1') faults.push(`${job.id}: ended ${times ?? 'no'} times`);
  }
  if (made.length !== jobs) faults.push(`${made.length} jobs were made of ${jobs}`);
  if (reads.has('none')) faults.push('the provider read something that is no job’s');
  for (const { home } of machines) {
    const { exit, stderr } = await home.run(home.home, ['records', 'verify'], { program });
    if (exit !== 0) faults.push(`the records of a machine do not verify: ${stderr.slice(0, 200)}`);
  }
  for (const [what, text] of [
    ['item text', MARKER],
    ['a secret', secret],
    ['a credential', world.credential],
    ['the key', world.key.toString()],
  ] as const) {
    const places = await placesIn(world, text);
    if (places.length > 0) faults.push(`${what} stands in Redis: ${places.slice(0, 5).join(', ')}`);
  }
  return { ends, faults };
};

const faultOf = (end: JobEnd | null, reads: number, sentRecords: ReadonlySet<string>): string | null => {
  if (end === null) return 'lost: it has no end';
  if (reads > 1) return `sent ${reads} times`;
  if (end.outcome === 'sent' && reads !== 1) return `sent, and the provider read it ${reads} times`;
  if (end.outcome === 'sent' && !sentRecords.has(end.record ?? '')) return 'sent, and no record says so';
  if (end.outcome !== 'sent' && end.outcome !== 'unknown') return `ended ${end.outcome} (${end.code ?? ''})`;
  return null;
};

const recordsSent = (rows: readonly Record<string, unknown>[]): readonly string[] =>
  rows.flatMap(({ event, outcome, id }) => (event === 'end' && outcome === 'sent' ? [String(id)] : []));

/** Keys that hold the text now, and log files that ever did. */
export const placesIn = async ({ redis }: FleetWorld, text: string): Promise<readonly string[]> => {
  const held = await redis.admin(async (client) => {
    const found: string[] = [];
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'COUNT', '1000');
      cursor = next;
      for (const key of keys) {
        const dumped = await dumpOf(client, key);
        if (key.includes(text) || dumped.includes(text)) found.push(key);
      }
    } while (cursor !== '0');
    return found;
  });
  const logs = readdirSync(join(redis.folder, 'appendonlydir')).filter((name) =>
    readFileSync(join(redis.folder, 'appendonlydir', name)).includes(text),
  );
  return [...held, ...logs];
};

type Client = Parameters<Parameters<FleetWorld['redis']['admin']>[0]>[0];

const dumpOf = async (client: Client, key: string): Promise<string> => {
  const type = await client.type(key);
  switch (type) {
    case 'string':
      return (await client.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await client.hgetall(key));
    case 'list':
      return JSON.stringify(await client.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await client.smembers(key));
    case 'zset':
      return JSON.stringify(await client.zrange(key, '0', '-1'));
    case 'stream':
      return JSON.stringify(await client.xrange(key, '-', '+'));
    case 'none':
      return '';
    default:
      throw new Error(`a key of type ${type} was not looked into`);
  }
};

const usedBytes = ({ redis }: FleetWorld): Promise<number> =>
  redis.admin(async (client) => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0));

/** Repositories of 100 commits; each job is about one commit, so the provider can tell jobs apart. */
const makeJobs = async (
  world: FleetWorld,
  machine: FleetMachine,
  jobs: number,
  secret: string,
): Promise<readonly MadeJob[]> => {
  const home = machine.home.home;
  const surroundings = {
    ...gatherSurroundings({ folder: home, say: () => undefined, signal: new AbortController().signal }),
    homeFolder: home,
    accountHome: home,
  };
  const { settings } = await readMachineSettings(surroundings);
  const making = { key: world.key, now: () => new Date(), random: randomBytes };
  const made: MadeJob[] = [];
  for (let at = 0; made.length < jobs; at += 1) {
    const path = join(world.folder, `repository-${at}`);
    const ids = importCommits(path, Math.min(COMMITS_A_REPOSITORY, jobs - made.length) + 1, at, secret);
    for (let index = 1; index < ids.length; index += 1) {
      const range = `${ids[index - 1]}..${ids[index]}`;
      const { attempts: _, ...limits } = JOB_DEFAULTS;
      const asked = {
        repository: { path },
        words: { kind: 'change_review', range } as const,
        isPlan: false,
        agent: null,
        route: null,
        // A storm may kill the worker of one job many times over.
        limits: { ...limits, attempts: 20 },
      };
      made.push({ job: bundleJob(asked, settings, making), range });
    }
  }
  return made;
};

/** All commits of a repository in one call of git. Their ids, oldest first. */
const importCommits = (folder: string, count: number, at: number, secret: string): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, {
      cwd: folder,
      env: gitTestEnvironment(),
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
  git(['init', '--quiet', '--initial-branch=main']);
  const who = 'Ada Example <ada@example.org> 1704164645 +0000';
  const commits = Array.from({ length: count }, (_, index) => {
    const text = `// ${MARKER} ${at}.${index}\nconst token = '${secret}';\n`;
    const message = `change ${index}\n`;
    return `commit refs/heads/main\ncommitter ${who}\ndata ${message.length}\n${message}M 100644 inline src/file-${index}.ts\ndata ${text.length}\n${text}\n`;
  });
  git(['fast-import', '--quiet'], commits.join(''));
  git(['reset', '--quiet', '--hard']);
  return git(['rev-list', '--reverse', 'main']).trim().split('\n');
};
