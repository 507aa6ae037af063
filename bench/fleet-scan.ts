/**
 * `npm run bench -- fleet-scan [MIB]`: one repository scanned by one worker and by two, each with one thread, in the same
 * shards. Says how much faster two are and whether they found the same, and ends with 1 when they did not.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scanJobs } from '../src/app/jobs/ask-jobs.js';
import { JOB_DEFAULTS } from '../src/app/jobs/make-job.js';
import { readScan, type ScanState } from '../src/app/jobs/read-scan.js';
import { BullQueue } from '../src/queue/bullmq-queue.js';
import { openFleetWorld } from '../test/support/fleet-world.js';
import { gitTestEnvironment } from '../test/support/make-repository.js';

const FILE_BYTES = 64 * 1024;
const SHARDS = 16;
const LOOK_MS = 20;

const mib = Number(process.argv[2] ?? '256');
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

const scan = async (path: string, commit: string, shards: number): Promise<{ state: ScanState; seconds: number }> => {
  const { attempts, priority, lifeMs } = JOB_DEFAULTS;
  const limits = { attempts, priority, lifeMs };
  const { group, jobs } = scanJobs({ repository: { path }, commit, range: null, shards, limits }, making);
  const startedMs = performance.now();
  await queue.add(jobs);
  for (;;) {
    const done = await queue.counts();
    if (done.waiting + done.delayed + done.running === 0) break;
    await pause(LOOK_MS);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return { state: await readScan(queue, group, making.key), seconds };
};

let exit = 1;
try {
  const path = join(world.folder, 'large');
  const commit = makeRepository(path);
  const found: string[] = [];
  const taken: number[] = [];
  for (const workers of [1, 2]) {
    const machine = world.machine();
    for (let at = 0; at < workers; at += 1) machine.work(['--lane', 'scan', '--concurrency', '1', '-q']);
    // Warm: every worker has started and has scanned something.
    await scan(path, commit, SHARDS);
    const { state, seconds } = await scan(path, commit, SHARDS);
    await world.stopWorkers();
    taken.push(seconds);
    found.push(JSON.stringify(state.result));
    const bytes = state.result?.bytes ?? 0;
    console.log(
      `${workers} worker${workers === 1 ? '' : 's'}: ${seconds.toFixed(2)} s, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s, ${state.result?.findings.length ?? 0} findings`,
    );
  }
  const [one = 0, two = 1] = taken;
  const isSame = found[0] === found[1] && found[0] !== 'null';
  console.log(
    `two workers are ${(one / two).toFixed(2)} times as fast; findings are ${isSame ? 'the same' : 'NOT the same'}`,
  );
  exit = isSame ? 0 : 1;
} finally {
  await queue.close();
  await world.close();
}
process.exit(exit);
