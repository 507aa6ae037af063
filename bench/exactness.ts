/**
 * Program: the engine finds what RE2 finds rule by rule, on real source and on fuzzed items. `npm run bench -- exactness
 * [--quick] [--mib N] [--items N] [--processes N] [--threads N] [--rounds N] [--seed N] [--anew] [FOLDER...]`.
 *
 * Each item is scanned whole by the oracle, and by one and by several threads in batches of random shape; any difference
 * in rule, span, line, form or value ends the run with 1. The oracle is slow, so the work is cut into units that several
 * processes take and that a later run of the same build and seed does not do again.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAMILIES } from '../src/contract/finding.js';
import { loadRuleSet } from '../src/rules/load-rule-set.js';
import { type Comparison, compareItems } from './support/exact/compare.js';
import { fuzzedItems } from './support/exact/fuzzed-items.js';
import { openOracle } from './support/exact/oracle.js';
import { fileUnits, fuzzUnits, itemsOfUnit, type Unit } from './support/exact/units.js';
import { changeReviewProfile, openPool } from './support/memory-assembly.js';
import { readTables } from './support/primary-threads.js';
import { writeRun } from './support/run-record.js';
import { seededNumbers } from './support/seeded-numbers.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const FOLDERS = ['node_modules', 'src', 'test', '/usr/share', '/usr/lib/python3', '/usr/include'];
const KNOWN = ['--quick', '--mib=', '--items=', '--processes=', '--threads=', '--rounds=', '--seed=', '--anew'];

interface WorkerWords {
  readonly threads: number;
  readonly rounds: number;
  readonly seed: number;
}

interface DoneUnit extends Comparison {
  readonly kind: Unit['kind'];
  readonly number: number;
}

const root = process.cwd();
const dist = join(root, 'dist');

/** A process of its own: answers each unit that it is sent with what was compared. */
const serveUnits = async ({ threads, rounds, seed }: WorkerWords): Promise<void> => {
  const tables = readTables(dist);
  const oracle = openOracle(tables, FAMILIES);
  const profile = { ...changeReviewProfile(`${tables.digest} all`), families: FAMILIES };
  const scanners = [await openPool(dist, 1), await openPool(dist, threads)];
  const makeItem = fuzzedItems(loadRuleSet(join(root, 'config', 'rules')).rules, seed);
  process.on('message', (unit: Unit) => {
    const below = seededNumbers(seed * 7919 + unit.number);
    void compareItems(itemsOfUnit(unit, makeItem, below), oracle, scanners, profile, rounds, below).then((compared) =>
      process.send?.({ kind: unit.kind, number: unit.number, ...compared } satisfies DoneUnit),
    );
  });
  process.send?.('ready');
};

/** Lines of a run that was broken off, whole ones. */
const readDone = (file: string): Map<number, DoneUnit> => {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return new Map(lines.map((line) => JSON.parse(line) as DoneUnit).map((done) => [done.number, done]));
};

const showRate = (done: number, of: number): void => {
  process.stderr.write(`\r${done} of ${of} units`);
  if (done === of) process.stderr.write('\n');
};

const runUnits = async (
  units: readonly Unit[],
  processes: number,
  words: WorkerWords,
  onDone: (done: DoneUnit) => void,
): Promise<void> => {
  const waiting = [...units];
  const work = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      child.on('exit', (code) =>
        waiting.length === 0 ? resolve() : reject(new Error(`a process ended with ${code}`)),
      );
      child.on('error', reject);
      child.on('message', (message) => {
        if (message !== 'ready') onDone(message as DoneUnit);
        const next = waiting.shift();
        if (next !== undefined) child.send(next);
        else {
          child.kill();
          resolve();
        }
      });
    });
  const children = Array.from({ length: Math.min(processes, units.length) }, () =>
    fork(fileURLToPath(import.meta.url), ['--serve', JSON.stringify(words)]),
  );
  try {
    await Promise.all(children.map(work));
  } finally {
    for (const child of children) child.kill();
  }
};

const sum = (units: readonly DoneUnit[], of: 'items' | 'bytes' | 'findings' | 'refused' | 'compared'): number =>
  units.reduce((total, unit) => total + unit[of], 0);

const totals = (units: readonly DoneUnit[]) => ({
  items: sum(units, 'items'),
  bytes: sum(units, 'bytes'),
  findings: sum(units, 'findings'),
  refused: sum(units, 'refused'),
  answers_compared: sum(units, 'compared'),
});

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const isQuick = asked.has('--quick');
  const worker: WorkerWords = {
    threads: asked.number('--threads', Math.max(2, availableParallelism())),
    rounds: asked.number('--rounds', 2),
    seed: asked.number('--seed', 1),
  };
  const folders = asked.rest.length > 0 ? asked.rest : FOLDERS;
  const files = fileUnits(folders, asked.number('--mib', isQuick ? 2 : 52) * MIB);
  const units = [...files, ...fuzzUnits(asked.number('--items', isQuick ? 1000 : 20_000), files.length)];
  // The build's stamp covers engine, rules and tables: another build begins anew.
  const stamp = readFileSync(join(dist, '.stamp'), 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([stamp, worker, units]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(root, 'node_modules', '.cache', 'coldseal-bench', 'exactness');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${key}.jsonl`);
  if (asked.has('--anew')) rmSync(file, { force: true });
  const done = readDone(file);
  const began = performance.now();
  await runUnits(
    units.filter(({ number }) => !done.has(number)),
    asked.number('--processes', availableParallelism()),
    worker,
    (unit) => {
      appendFileSync(file, `${JSON.stringify(unit)}\n`);
      done.set(unit.number, unit);
      showRate(done.size, units.length);
    },
  );
  const all = [...done.values()];
  const differences = all.flatMap((unit) => unit.differences);
  const report = {
    ...worker,
    seconds: Math.round((performance.now() - began) / 1000),
    real: totals(all.filter(({ kind }) => kind === 'files')),
    fuzzed: totals(all.filter(({ kind }) => kind === 'fuzz')),
    differences: differences.length,
  };
  process.stdout.write(`${JSON.stringify(report, null, 1)}\n`);
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  process.stdout.write(`raw run: ${writeRun(root, 'exactness', words, { folders, ...report, told: differences })}\n`);
  // Text in which nothing is found would prove nothing.
  const isEmpty = report.real.bytes === 0 || report.fuzzed.findings === 0;
  process.exitCode = differences.length > 0 || isEmpty ? 1 : 0;
};

if (process.argv[2] === '--serve') await serveUnits(JSON.parse(process.argv[3] ?? '') as WorkerWords);
else await main(process.argv.slice(2));
