/**
 * Program: how long a person waits: a warm scan and a warm plan of a 4 MiB bundle, and a cold start. `npm run bench --
 * latency [--quick] [--rounds N]`.
 *
 * Warm is what a service does: threads that run already, the same code as a send's plan with git, record store and digest.
 * Cold is the built program as a child, from its start to the first answer of `scan --ndjson`, which is later than the
 * first byte scanned.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { sendBundle } from '../src/app/send-bundle.js';
import type { SendWords } from '../src/app/send-words.js';
import { formatTable } from '../src/cli/tables.js';
import { type BenchWorld, openBenchWorld } from './support/bench-world.js';
import { corpusBytes, corpusFiles } from './support/corpora.js';
import { itemsOf } from './support/items.js';
import { median } from './support/measure.js';
import { assembleInMemory, openPool } from './support/memory-assembly.js';
import { writeRun } from './support/run-record.js';
import { judge, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const KNOWN = ['--quick', '--rounds='];
const BUNDLE_BYTES = 4 * MIB;
const ITEM_BYTES = 16 * 1024;
const WARM_UPS = 10;

const root = process.cwd();
const dist = join(root, 'dist');

const repeat = async (rounds: number, work: () => Promise<number>): Promise<number[]> => {
  for (let round = 0; round < WARM_UPS; round += 1) await work();
  const kept: number[] = [];
  while (kept.length < rounds) kept.push(await work());
  return kept;
};

const REVIEW: SendWords = {
  verb: 'review',
  kind: 'change_review',
  agent: 'change-reviewer',
  range: null,
  brief: null,
  question: null,
  intent: null,
  from: null,
  to: null,
  dispatch: null,
  routes: [],
  settings: [],
  plan: true,
  expect: null,
  isAwaited: true,
  mustSend: false,
};

/** Plans of the last commit: half of the bundle is its diff, the other half the changed files. */
const warmPlans = async (world: BenchWorld, rounds: number): Promise<{ ms: number[]; bytes: number }> => {
  world.commit([{ name: 'first.txt', bytes: Buffer.from('first\n') }]);
  world.commit(corpusFiles('many-small', root, BUNDLE_BYTES / 2 - 128 * 1024));
  const pool = await openPool(dist, availableParallelism());
  const surroundings = { ...world.surroundings(root), sharedScanner: pool };
  let bytes = 0;
  try {
    const ms = await repeat(rounds, async () => {
      const began = performance.now();
      const { document } = await sendBundle(surroundings, REVIEW, () => undefined);
      const tookMs = performance.now() - began;
      if (document.outcome !== 'planned') throw new Error(`not planned: ${document.code} ${document.message}`);
      bytes = document.bundle?.bytes ?? 0;
      return tookMs;
    });
    return { ms, bytes };
  } finally {
    await pool.close();
  }
};

const warmScans = async (rounds: number): Promise<number[]> => {
  const items = itemsOf(corpusBytes('many-small', root, BUNDLE_BYTES), ITEM_BYTES);
  const pool = await openPool(dist, availableParallelism());
  try {
    return await repeat(rounds, async () => (await assembleInMemory(pool, items)).figures.scanMs);
  } finally {
    await pool.close();
  }
};

const coldStart = async (world: BenchWorld): Promise<number> => {
  const began = performance.now();
  const child = spawn(process.execPath, [join(dist, 'cli.js'), 'scan', '--ndjson'], {
    cwd: world.folder,
    env: { PATH: process.env['PATH'], HOME: world.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.write(`${JSON.stringify({ id: 1, text: 'const answer = 42;' })}\n`);
  await once(child.stdout, 'data');
  const tookMs = performance.now() - began;
  child.stdin.end();
  await once(child, 'close');
  return tookMs;
};

const coldStarts = async (world: BenchWorld, rounds: number): Promise<number[]> => {
  const kept: number[] = [];
  await coldStart(world);
  while (kept.length < rounds) kept.push(await coldStart(world));
  return kept;
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const rounds = asked.number('--rounds', asked.has('--quick') ? 5 : 25);
  const world = openBenchWorld();
  try {
    const scan = await warmScans(rounds);
    const plan = await warmPlans(world, rounds);
    const cold = await coldStarts(world, rounds);
    const rows: readonly [string, readonly number[], number][] = [
      ['warm scan of 4 MiB', scan, 40],
      [`warm plan of ${(plan.bytes / MIB).toFixed(2)} MiB`, plan.ms, 150],
      ['cold start to the first answer', cold, 250],
    ];
    const table = formatTable(
      ['what', 'best ms', 'median ms', 'worst ms'].map((head, at) => ({ head, align: at === 0 ? 'left' : 'right' })),
      rows.map(([name, ms]) => [
        name,
        ...[Math.min(...ms), median(ms), Math.max(...ms)].map((number) => number.toFixed(1)),
      ]),
      null,
    );
    const targets = rows.map(([name, ms, most]) => judge({ name, most, unit: 'ms', measured: median(ms) }));
    process.stdout.write(`${table.join('\n')}\n\n${targetTable(targets)}\n`);
    const runs = rows.map(([name, ms]) => ({ name, ms }));
    process.stdout.write(`\nraw run: ${writeRun(root, 'latency', words, { plan_bytes: plan.bytes, targets, runs })}\n`);
  } finally {
    world.close();
  }
};

await main(process.argv.slice(2));
