/**
 * Program: the worst inputs, everything on, at a size and at a quarter of it. `npm run bench -- pathological [--quick]
 * [--mib N] [--rounds N] [--least-ms N]`.
 *
 * A scan is linear when a megabyte of the large text costs what one of the small text does. Time in the engine is what the
 * thread itself says; what ends within a few milliseconds is not judged. A bound that is reached refuses the item, which
 * is an answer, and is told.
 */
import { join } from 'node:path';
import { formatTable } from '../src/cli/tables.js';
import type { ScanPool } from '../src/pool/scan-pool.js';
import { median } from './support/measure.js';
import { changeReviewProfile, openPool } from './support/memory-assembly.js';
import { PATHOLOGICAL } from './support/pathological.js';
import { writeRun } from './support/run-record.js';
import { judge, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const KNOWN = ['--quick', '--mib=', '--rounds=', '--least-ms='];
const SMALLER = 4;
/** Caches and garbage make a large text a little dearer; what is not linear is many times dearer. */
const MOST_GROWTH = 1.6;
const LEAST_MS = 100;

interface Cost {
  readonly bytes: number;
  readonly busy_ms: readonly number[];
  readonly outcome: string;
}

interface Run {
  readonly name: string;
  readonly small: Cost;
  readonly large: Cost;
}

const costOf = async (pool: ScanPool, bytes: Buffer, rounds: number): Promise<Cost> => {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  const inputs = [{ ref: 0, offset: 0, length: bytes.length }];
  const busy: number[] = [];
  let outcome = 'no answer';
  for (let round = 0; round < rounds; round += 1) {
    const reply = await pool.scan({ task: 'scan', buffer, inputs, profile: changeReviewProfile(pool.rulesDigest) });
    const [one] = reply.outcomes;
    busy.push(reply.busyMs);
    if (one !== undefined) outcome = one.ok ? `${one.findings.length} found` : `refused: ${one.bound}`;
  }
  return { bytes: bytes.length, busy_ms: busy, outcome };
};

const perMegabyte = ({ bytes, busy_ms: busy }: Cost): number => median(busy) / (bytes / 1e6);

const growth = ({ small, large }: Run): number => perMegabyte(large) / perMegabyte(small);

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const bytes = Math.round(asked.number('--mib', asked.has('--quick') ? 2 : 10) * MIB);
  const rounds = asked.number('--rounds', 3);
  const leastMs = asked.number('--least-ms', LEAST_MS);
  const pool = await openPool(join(process.cwd(), 'dist'), 1);
  const runs: Run[] = [];
  try {
    for (const text of PATHOLOGICAL) {
      const small = await costOf(pool, text.make(bytes / SMALLER), rounds);
      runs.push({ name: text.name, small, large: await costOf(pool, text.make(bytes), rounds) });
    }
  } finally {
    await pool.close();
  }
  const heads = ['text', 'ms at a quarter', 'ms', 'ms per MB', 'growth', 'outcome'];
  const table = formatTable(
    heads.map((head, at) => ({ head, align: at === 0 || at === 5 ? 'left' : 'right' })),
    runs.map((run) => [
      run.name,
      median(run.small.busy_ms).toFixed(0),
      median(run.large.busy_ms).toFixed(0),
      perMegabyte(run.large).toFixed(1),
      growth(run).toFixed(2),
      run.large.outcome,
    ]),
    null,
  );
  const targets = runs
    .filter(({ large }) => median(large.busy_ms) >= leastMs)
    .map((run) => judge({ name: run.name, most: MOST_GROWTH, unit: 'x', measured: growth(run) }));
  process.stdout.write(`${table.join('\n')}\n\n${targetTable(targets)}\n`);
  process.stdout.write(`\nraw run: ${writeRun(process.cwd(), 'pathological', words, { targets, runs })}\n`);
  process.exitCode = targets.every(({ holds }) => holds) ? 0 : 1;
};

await main(process.argv.slice(2));
