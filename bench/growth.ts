/**
 * Program: what a scan costs as it grows, and the memory it takes. `npm run bench -- growth [--quick] [--sizes A,B,...]
 * [--rounds N] [--keep]`: sizes in MiB, up to 2 GiB of small and big files by turns, each in a process of its own.
 *
 * The cost of a size is its median processor time a MiB: on a busy machine the clock says nothing. Files are written to a
 * temporary folder in parts of 16 MiB, so that a size is so many parts of the same corpus.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../src/cli/tables.js';
import { writeFiles } from './support/bench-world.js';
import { type CorpusFile, corpusFiles } from './support/corpora.js';
import { median } from './support/measure.js';
import { writeRun } from './support/run-record.js';
import {
  runScanChild,
  SCAN_CHILD,
  type ScanChildFigures,
  type ScanChildWords,
  serveScan,
} from './support/scan-child.js';
import { judge, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const PART_MIB = 16;
const KNOWN = ['--quick', '--sizes=', '--rounds=', '--keep'];
const MOST_RSS_MB = 400;
const MOST_GROWTH = 1.15;

const root = process.cwd();

const partName = (part: number): string => `part-${String(part).padStart(3, '0')}`;

/** Files until so many bytes are reached; the generator goes on where it was. */
function* take(files: Iterator<CorpusFile>, bytes: number): Generator<CorpusFile> {
  for (let sum = 0; sum < bytes; ) {
    const next = files.next();
    if (next.done === true) return;
    sum += next.value.bytes.length;
    yield next.value;
  }
}

/** Parts of small files and of big ones by turns. */
const writeParts = (folder: string, parts: number): void => {
  const all = parts * PART_MIB * MIB;
  const sources = [corpusFiles('many-small', root, all), corpusFiles('few-big', root, all)];
  for (let part = 0; part < parts; part += 1) {
    const source = sources[part % 2];
    if (source !== undefined) writeFiles(join(folder, partName(part)), take(source, PART_MIB * MIB));
  }
};

interface SizeRun {
  readonly mib: number;
  readonly rounds: readonly ScanChildFigures[];
}

const cpuPerMib = ({ rounds }: SizeRun): number => median(rounds.map(({ cpuMs, bytes }) => cpuMs / (bytes / MIB)));

const peakMb = ({ rounds }: SizeRun): number => Math.max(...rounds.map(({ peakRssBytes }) => peakRssBytes)) / 1e6;

const tableOf = (runs: readonly SizeRun[]): string =>
  formatTable(
    ['MiB', 'files', 'findings', 'MB/s by the clock', 'ms of processor a MiB', 'to the first', 'peak RSS MB'].map(
      (head) => ({ head, align: 'right' as const }),
    ),
    runs.map((run) => {
      const [one] = run.rounds;
      const speed = median(run.rounds.map(({ bytes, wallMs }) => bytes / 1000 / wallMs));
      return [
        String(run.mib),
        String(one?.files ?? 0),
        String(one?.findings ?? 0),
        speed.toFixed(0),
        cpuPerMib(run).toFixed(2),
        (cpuPerMib(run) / cpuPerMib(runs[0] ?? run)).toFixed(2),
        peakMb(run).toFixed(0),
      ];
    }),
    null,
  ).join('\n');

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const typed = asked.text('--sizes', asked.has('--quick') ? '16,64' : '16,64,256,1024,2048');
  const sizes = typed.split(',').map(Number);
  const rounds = asked.number('--rounds', asked.has('--quick') ? 1 : 3);
  const parts = Math.max(2, ...sizes.map((mib) => Math.ceil(mib / PART_MIB)));
  const base = join(tmpdir(), `coldseal-bench-growth-${parts}`);
  const whole = join(base, 'whole');
  try {
    if (!existsSync(whole)) {
      rmSync(base, { recursive: true, force: true });
      mkdirSync(join(base, 'home'), { recursive: true });
      writeParts(join(base, 'corpus'), parts);
      mkdirSync(whole);
    }
    const runs: SizeRun[] = [];
    for (const mib of sizes) {
      const paths = Array.from({ length: Math.ceil(mib / PART_MIB) }, (_, part) => partName(part));
      const child = {
        folder: join(base, 'corpus'),
        warmUp: partName(0),
        paths,
        dist: join(root, 'dist'),
        home: join(base, 'home'),
      };
      const kept: ScanChildFigures[] = [];
      while (kept.length < rounds) kept.push(await runScanChild(import.meta.url, child));
      runs.push({ mib, rounds: kept });
    }
    const [first, last] = [runs[0], runs.at(-1)];
    if (first === undefined || last === undefined) throw new Error('--sizes names none');
    const targets = [
      judge({ name: `peak RSS at ${last.mib} MiB`, most: MOST_RSS_MB, unit: 'MB', measured: peakMb(last) }),
      judge({
        name: `cost per MiB at ${last.mib} MiB to that at ${first.mib} MiB`,
        most: MOST_GROWTH,
        unit: 'x',
        measured: cpuPerMib(last) / cpuPerMib(first),
      }),
    ];
    process.stdout.write(`${tableOf(runs)}\n\n${targetTable(targets)}\n`);
    process.stdout.write(`\nraw run: ${writeRun(root, 'growth', words, { targets, runs })}\n`);
    process.exitCode = targets.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    if (!asked.has('--keep')) rmSync(base, { recursive: true, force: true });
  }
};

if (process.argv[2] === SCAN_CHILD) await serveScan(JSON.parse(process.argv[3] ?? '') as ScanChildWords);
else await main(process.argv.slice(2));
