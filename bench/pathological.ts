/**
 * Program: the worst inputs, everything on, at a size and at a tenth of it. `npm run bench -- pathological [--quick]
 * [--mib N] [--rounds N] [--least-ms N] [--only WORD]`.
 *
 * A scan is linear when a megabyte of the large text costs what one of the small text does. Cost is the
 * processor time of the whole process, the least of the rounds: what else the machine does can only add to it. What ends within a few
 * milliseconds is not judged. A bound that is reached refuses the item, which is an answer, and is told.
 */
import { join } from 'node:path';
import { formatTable } from '../src/cli/tables.js';
import type { ScanPool } from '../src/pool/scan-pool.js';
import { changeReviewProfile, openPool } from './support/memory-assembly.js';
import { PATHOLOGICAL } from './support/pathological.js';
import { writeRun } from './support/run-record.js';
import { judge, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const KNOWN = ['--quick', '--mib=', '--rounds=', '--least-ms=', '--only='];
const SMALLER = 10;
/** A small text is over sooner, so it is scanned more often. */
const SMALL_ROUNDS = 4;
/** Caches and garbage make a large text a little dearer; what is not linear is many times dearer. */
const MOST_GROWTH = 1.3;
const LEAST_MS = 100;

interface Cost {
  readonly bytes: number;
  readonly cpu_ms: readonly number[];
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
  const cpu: number[] = [];
  let outcome = 'no answer';
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const reply = await pool.scan({ task: 'scan', buffer, inputs, profile: changeReviewProfile(pool.rulesDigest) });
    const [one] = reply.outcomes;
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    if (one !== undefined) outcome = one.ok ? `${one.findings.length} found` : `refused: ${one.bound}`;
  }
  return { bytes: bytes.length, cpu_ms: cpu, outcome };
};

const perMegabyte = ({ bytes, cpu_ms: cpu }: Cost): number => Math.min(...cpu) / (bytes / 1e6);

const growth = ({ small, large }: Run): number => perMegabyte(large) / perMegabyte(small);

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const bytes = Math.round(asked.number('--mib', asked.has('--quick') ? 2 : 10) * MIB);
  const rounds = asked.number('--rounds', 3);
  const leastMs = asked.number('--least-ms', LEAST_MS);
  const pool = await openPool(join(process.cwd(), 'dist'), 1);
  const runs: Run[] = [];
  try {
    for (const text of PATHOLOGICAL.filter(({ name }) => name.includes(asked.text('--only', '')))) {
      const small = await costOf(pool, text.make(Math.floor(bytes / SMALLER)), rounds * SMALL_ROUNDS);
      runs.push({ name: text.name, small, large: await costOf(pool, text.make(bytes), rounds) });
    }
  } finally {
    await pool.close();
  }
  const heads = ['text', 'ms at a tenth', 'ms', 'ms per MB', 'growth', 'outcome'];
  const table = formatTable(
    heads.map((head, at) => ({ head, align: at === 0 || at === 5 ? 'left' : 'right' })),
    runs.map((run) => [
      run.name,
      Math.min(...run.small.cpu_ms).toFixed(1),
      Math.min(...run.large.cpu_ms).toFixed(0),
      perMegabyte(run.large).toFixed(1),
      growth(run).toFixed(2),
      run.large.outcome,
    ]),
    null,
  );
  const targets = runs
    .filter(({ large }) => Math.min(...large.cpu_ms) >= leastMs)
    .map((run) => judge({ name: run.name, most: MOST_GROWTH, unit: 'x', measured: growth(run) }));
  process.stdout.write(`${table.join('\n')}\n\n${targetTable(targets)}\n`);
  process.stdout.write(`\nraw run: ${writeRun(process.cwd(), 'pathological', words, { targets, runs })}\n`);
  process.exitCode = targets.every(({ holds }) => holds) ? 0 : 1;
};

await main(process.argv.slice(2));
