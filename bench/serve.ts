/**
 * Program: a service under load. `serve [--seconds 60] [--scans 200] [--dispatches 50] [--lines 20]`
 *
 * So many clients scan and so many dispatch, each one request after the other, against `coldseal serve` in a process of its
 * own. It holds when nothing was answered otherwise than it should, every dispatch is in the record, the event loop's
 * lag stayed under its bound at the 99th percentile and the memory under its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepository } from '../test/support/make-repository.js';
import { openProgramWorld } from '../test/support/program-world.js';
import { watchMemory } from './support/child-memory.js';
import { writeRun } from './support/run-record.js';
import { loadService } from './support/service-load.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const MOST_LAG_MS = 100;
const MOST_RSS_BYTES = 1024 * MIB;
const GRACE_MS = 20_000;

const root = process.cwd();
const typed = process.argv.slice(2);
const words = readWords(typed, ['--seconds=', '--scans=', '--dispatches=', '--lines=', '--quick']);

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) resolve(text.split('\n', 1)[0] ?? '');
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });

const world = await openProgramWorld();
const repository = makeRepository();
repository.commit('first', { 'src/app.js': 'export const answer = 41;\n' });
repository.commit('second', { 'src/app.js': `${'export const answer = 42;\n'.repeat(400)}` });
const machine = world.fragment();
machine.coldseal['service'] = { repositories: [repository.folder] };
world.writeMachine(machine);

const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), '-q', 'serve', '--json'], {
  env: { PATH: process.env['PATH'] ?? '', HOME: world.home },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const memory = watchMemory(child);
try {
  const { url, token_file: tokenFile } = JSON.parse(await firstLine(child)) as { url: string; token_file: string };
  const idleBytes = memory.peakBytes();
  const figures = await loadService({
    url,
    token: readFileSync(tokenFile, 'utf8').trim(),
    repository: repository.folder,
    scanClients: words.number('--scans', words.has('--quick') ? 50 : 200),
    dispatchClients: words.number('--dispatches', words.has('--quick') ? 10 : 50),
    seconds: words.number('--seconds', words.has('--quick') ? 10 : 60),
    linesEach: words.number('--lines', 20),
  });
  const run = { ...figures, idle_bytes: idleBytes, peak_bytes: memory.peakBytes() };
  console.log(JSON.stringify(run, null, 1));
  const broken = [
    ...(Object.keys(figures.errors).length > 0 ? ['something was answered otherwise than it should'] : []),
    ...(figures.missing > 0 ? [`${figures.missing} dispatches are not in the record`] : []),
    ...(figures.lagP99Ms >= MOST_LAG_MS
      ? [`the event loop lagged ${Math.round(figures.lagP99Ms)} ms (${MOST_LAG_MS})`]
      : []),
    ...(run.peak_bytes >= MOST_RSS_BYTES
      ? [`memory came to ${Math.round(run.peak_bytes / MIB)} MiB (${MOST_RSS_BYTES / MIB})`]
      : []),
  ];
  console.log(writeRun(root, 'serve', typed, { run, broken }));
  for (const what of broken) console.log(`did not hold: ${what}`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  memory.stop();
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  repository.close();
  await world.close();
}
