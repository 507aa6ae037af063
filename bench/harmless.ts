/**
 * Program: what family `secret` blanks in ordinary open-source text. `npm run bench -- harmless [--quick] [--mib N]
 * [--threads N] [--to-class] [FOLDER...]`: this project's dependencies, documentation and headers of the machine, each
 * file whole.
 *
 * Each span is printed as rule, file and line, never as text, for a person to look at. `bench/support/harmless-classes.json`
 * keeps what a person said of rule, file and text around it; `--to-class` adds the spans that nobody looked at. Those
 * count as wrong.
 */
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { looksBinary } from '../src/app/scan/looks-binary.js';
import { formatTable } from '../src/cli/tables.js';
import type { Finding } from '../src/contract/finding.js';
import type { ScanBatch } from '../src/contract/scan.js';
import type { ScanPool } from '../src/pool/scan-pool.js';
import { addUnclassed, type HarmlessClass, keyOf, readClasses } from './support/harmless-classes.js';
import { changeReviewProfile, openPool } from './support/memory-assembly.js';
import { writeRun } from './support/run-record.js';
import { judge, targetTable } from './support/targets.js';
import { filesBelow } from './support/text-files.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const FOLDERS = [
  'node_modules',
  'src',
  'package-lock.json',
  '/usr/share/doc',
  '/usr/share',
  '/usr/lib/python3',
  '/usr/include',
];
const LARGEST_FILE_BYTES = 16 * MIB;
const MOST_WRONG_PER_10_MB = 1;
const KNOWN = ['--quick', '--mib=', '--threads=', '--to-class'];

interface Blanked {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly kind: string;
  readonly views: readonly string[];
  readonly class: HarmlessClass;
  readonly key: string;
}

interface FolderRun {
  readonly folder: string;
  files: number;
  bytes: number;
  readonly blanked: Blanked[];
  /** Files that reached a bound of the scan: a send would be refused. */
  readonly refused: { readonly file: string; readonly bound: string }[];
}

const root = process.cwd();

const listed = (folder: string): Iterable<string> => (statSync(folder).isFile() ? [folder] : filesBelow(folder));

/** Overlapping findings are one span, as in a bundle; the first one speaks for it. */
const united = (findings: readonly Finding[]): Finding[] => {
  const spans: Finding[] = [];
  let end = -1;
  for (const finding of findings) {
    if (finding.start >= end) spans.push(finding);
    end = Math.max(end, finding.end);
  }
  return spans;
};

const textOf = (path: string): Buffer | null => {
  const size = statSync(path).size;
  if (size === 0 || size > LARGEST_FILE_BYTES) return null;
  const bytes = readFileSync(path);
  return looksBinary(bytes) ? null : bytes;
};

const batchOf = (bytes: Buffer, profile: ScanBatch['profile']): ScanBatch => {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return { task: 'scan', buffer, inputs: [{ ref: 0, offset: 0, length: bytes.length }], profile };
};

const scanFolder = async (folder: string, pool: ScanPool, mostBytes: number, seen: Set<string>): Promise<FolderRun> => {
  const run: FolderRun = { folder, files: 0, bytes: 0, blanked: [], refused: [] };
  const profile: ScanBatch['profile'] = { ...changeReviewProfile(`${pool.rulesDigest} secret`), families: ['secret'] };
  const classes = readClasses(root);
  const scan = async (file: string, bytes: Buffer): Promise<void> => {
    const [outcome] = (await pool.scan(batchOf(bytes, profile))).outcomes;
    if (outcome?.ok !== true) {
      run.refused.push({ file, bound: outcome?.bound ?? 'no answer' });
      return;
    }
    for (const finding of united(outcome.findings)) {
      const { line, ruleId: rule, kind, views } = finding;
      const key = keyOf(file, rule, bytes, finding);
      run.blanked.push({ file, line, rule, kind, views, class: classes.get(key) ?? 'unclassed', key });
    }
  };
  const running = new Set<Promise<void>>();
  for (const file of listed(folder)) {
    if (seen.has(file)) continue;
    if (run.bytes >= mostBytes) break;
    seen.add(file);
    const bytes = textOf(file);
    if (bytes === null) continue;
    run.files += 1;
    run.bytes += bytes.length;
    const one = scan(file, bytes).finally(() => running.delete(one));
    running.add(one);
    if (running.size >= 2 * pool.threads) await Promise.race(running);
  }
  await Promise.all(running);
  run.blanked.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  return run;
};

const per10Mb = (spans: number, bytes: number): number => (bytes === 0 ? 0 : (spans * 1e7) / bytes);

const isWrong = (one: Blanked): boolean => one.class === 'wrong' || one.class === 'unclassed';

const tableOf = (runs: readonly FolderRun[]): string =>
  formatTable(
    ['folder', 'files', 'MB', 'spans', 'per 10 MB', 'wrong or unclassed', 'refused'].map((head, at) => ({
      head,
      align: at === 0 ? 'left' : 'right',
    })),
    runs.map(({ folder, files, bytes, blanked, refused }) => [
      folder,
      String(files),
      (bytes / 1e6).toFixed(1),
      String(blanked.length),
      per10Mb(blanked.length, bytes).toFixed(2),
      String(blanked.filter(isWrong).length),
      String(refused.length),
    ]),
    null,
  ).join('\n');

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const mostBytes = asked.number('--mib', asked.has('--quick') ? 20 : 2048) * MIB;
  const pool = await openPool(join(root, 'dist'), asked.number('--threads', availableParallelism()));
  const runs: FolderRun[] = [];
  const seen = new Set<string>();
  try {
    for (const folder of asked.rest.length > 0 ? asked.rest : FOLDERS) {
      runs.push(await scanFolder(folder, pool, mostBytes, seen));
    }
  } finally {
    await pool.close();
  }
  const blanked = runs.flatMap((run) => run.blanked);
  for (const { file, line, rule, class: said, views } of blanked) {
    const through = views.length === 0 ? '' : `  through ${views.join(', ')}`;
    process.stdout.write(`${said}  ${rule}  ${file}:${line}${through}\n`);
  }
  for (const { file, bound } of runs.flatMap((run) => run.refused))
    process.stdout.write(`refused  ${bound}  ${file}\n`);
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const wrong = blanked.filter(isWrong).length;
  if (asked.has('--to-class'))
    addUnclassed(
      root,
      blanked.map(({ key }) => key),
    );
  const targets = [
    judge({
      name: 'wrongly blanked or unclassed spans',
      most: MOST_WRONG_PER_10_MB,
      unit: 'per 10 MB',
      measured: per10Mb(wrong, bytes),
    }),
  ];
  process.stdout.write(`\n${tableOf(runs)}\n\n${targetTable(targets)}\n`);
  process.stdout.write(`\nraw run: ${writeRun(root, 'harmless', words, { targets, bytes, runs })}\n`);
  process.exitCode = bytes > 0 && targets.every(({ holds }) => holds) ? 0 : 1;
};

await main(process.argv.slice(2));
