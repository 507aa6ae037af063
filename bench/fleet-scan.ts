/**
 * `npm run bench -- fleet-scan [MIB] [ROUNDS] [SHARDS]`: one repository scanned by one worker and by two, each with one thread.
 * Says how much faster two are and whether they found what one `scan` finds in one shard, and ends with 1 when they did
 * not. Each worker has one core to itself where the system lets it (taskset), as two small machines have: a worker feeds
 * its thread from others and can keep two cores busy, so on two shared cores a second one has little left to take.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { scanJobs } from '../src/app/jobs/ask-jobs.js';
import { JOB_DEFAULTS } from '../src/app/jobs/make-job.js';
import { readScan, type ScanState } from '../src/app/jobs/read-scan.js';
import { SCAN_LANE } from '../src/contract/job.js';
import { BullQueue } from '../src/queue/bullmq-queue.js';
import { findProgram } from '../test/support/find-program.js';
import { type FleetWorker, openFleetWorld } from '../test/support/fleet-world.js';
import { gitTestEnvironment } from '../test/support/make-repository.js';
import { writeRun } from './support/run-record.js';

const FILE_BYTES = 64 * 1024;
/** Where an event was lost. */
const LOOK_MS = 1000;

const typed = process.argv.slice(2);
const [mib = 256, rounds = 2, shards = 16] = typed.map(Number);
const world = await openFleetWorld(resolve('dist', 'cli.js'));
const queue = new BullQueue({ url: world.redis.url, password: null, say: () => undefined, patienceMs: 5000 });
const making = { key: world.key, now: () => new Date(), random: randomBytes };

/** Source-like lines, no two files the same, a made-up token in every tenth. */
const textOf = (at: number): string => {
  const lines: string[] = at % 10 === 0 ? [`token = "ghp_${randomBytes(40).toString('hex').slice(0, 36)}"`] : [];
  for (let bytes = 0, line = 0; bytes < FILE_BYTES; line += 1) {
    const text = `  const value${at}_${line} = compute(${line}, "some text", [${line % 7}, ${at % 13}]);`;
    lines.push(text);
    bytes += text.length + 1;
  }
  return `${lines.join('\n')}\n`;
};

const makeRepository = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  const git = (args: readonly string[], input: string | Buffer = ''): string =>
    execFileSync('git', args, { cwd: folder, env: gitTestEnvironment(), input, maxBuffer: 2 ** 30 })
      .toString()
      .trim();
  git(['init', '--quiet', '--bare', '--initial-branch=main']);
  const files = Array.from({ length: Math.ceil((mib * 1024 * 1024) / FILE_BYTES) }, (_, at) => {
    const text = textOf(at);
    return Buffer.from(`M 100644 inline src/part-${at % 64}/file-${at}.ts\ndata ${text.length}\n${text}\n`);
  });
  const head = 'commit refs/heads/main\ncommitter Ada Example <ada@example.org> 1704164645 +0000\ndata 4\nmany\n';
  // As bytes: a string ends at 512 MiB.
  git(['fast-import', '--quiet'], Buffer.concat([Buffer.from(head), ...files]));
  return git(['rev-parse', 'main']);
};

const isEmpty = async (): Promise<boolean> => {
  const { waiting, delayed, running } = await queue.counts();
  return waiting + delayed + running === 0;
};

const scan = async (path: string, commit: string, of: number): Promise<{ state: ScanState; seconds: number }> => {
  const { attempts, priority, lifeMs } = JOB_DEFAULTS;
  const limits = { attempts, priority, lifeMs };
  const { group, jobs } = scanJobs({ repository: { path }, commit, range: null, shards: of, limits }, making);
  let ended = 0;
  let wake = (): void => undefined;
  // Told, not asked for: whoever asks all the time takes the workers' processors.
  const stop = await queue.watch([SCAN_LANE], ({ kind }) => {
    if (kind === 'ended') ended += 1;
    if (ended >= of) wake();
  });
  const startedMs = performance.now();
  await queue.add(jobs);
  while (!(await isEmpty())) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  const seconds = (performance.now() - startedMs) / 1000;
  await stop();
  return { state: await readScan(queue, group, making.key), seconds };
};

interface Round {
  readonly workers: number;
  readonly seconds: number;
  /** Of all workers and what they started; `null` where the system does not say. */
  readonly cpu_seconds: number | null;
  readonly mb_per_second: number;
  readonly findings: number;
}

/** Processor time of a process and the children it waited for, in hundredths of a second. */
const ticksOf = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
};

const cpuOf = (workers: readonly FleetWorker[]): number | null =>
  existsSync('/proc/self/stat') ? workers.reduce((sum, { child }) => sum + ticksOf(child.pid), 0) / 100 : null;

const measure = async (path: string, commit: string, workers: readonly FleetWorker[]): Promise<[Round, string]> => {
  const before = cpuOf(workers);
  const { state, seconds } = await scan(path, commit, shards);
  const after = cpuOf(workers);
  const round = {
    workers: workers.length,
    seconds,
    cpu_seconds: before === null || after === null ? null : after - before,
    mb_per_second: (state.result?.bytes ?? 0) / 1e6 / seconds,
    findings: state.result?.findings.length ?? 0,
  };
  const { workers: count, cpu_seconds: cpu, mb_per_second: speed, findings } = round;
  console.log(
    `${count} worker${count === 1 ? '' : 's'}: ${seconds.toFixed(2)} s, ${cpu?.toFixed(2) ?? '?'} s of processors, ${speed.toFixed(0)} MB/s, ${findings} findings`,
  );
  return [round, JSON.stringify(state.result)];
};

/** A worker with all it started to a core of its own. */
const pin = ({ child }: FleetWorker, core: number): boolean => {
  const taskset = findProgram('taskset');
  if (taskset === null || availableParallelism() < 2) return false;
  try {
    execFileSync(taskset, ['-apc', String(core), String(child.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const bestOf = (all: readonly Round[], workers: number): number =>
  Math.min(...all.filter((one) => one.workers === workers).map(({ seconds }) => seconds));

let exit = 1;
let isPinned = false;
try {
  const path = join(world.folder, 'large');
  const commit = makeRepository(path);
  const all: Round[] = [];
  const found = new Set<string>();
  for (const count of [1, 2]) {
    const machine = world.machine();
    const workers = Array.from({ length: count }, () => machine.work(['--lane', 'scan', '--concurrency', '1', '-q']));
    // Warm: every worker has started and has scanned something. What one shard finds is what is right.
    found.add(JSON.stringify((await scan(path, commit, count === 1 ? 1 : shards)).state.result));
    isPinned = workers.every(pin);
    for (let round = 0; round < rounds; round += 1) {
      const [taken, result] = await measure(path, commit, workers);
      all.push(taken);
      found.add(result);
    }
    await world.stopWorkers();
  }
  const times = bestOf(all, 1) / bestOf(all, 2);
  const isSame = found.size === 1 && !found.has('null');
  console.log(
    `two workers${isPinned ? ', a core each,' : ''} are ${times.toFixed(2)} times as fast; findings are ${isSame ? 'the same as those of one shard' : 'NOT the same'}`,
  );
  console.log(
    writeRun(resolve('.'), 'fleet-scan', typed, {
      mib,
      a_core_each: isPinned,
      shards,
      rounds: all,
      times_as_fast: times,
      same: isSame,
    }),
  );
  exit = isSame ? 0 : 1;
} finally {
  await queue.close();
  await world.close();
}
process.exit(exit);
