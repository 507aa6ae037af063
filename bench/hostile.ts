/**
 * Program: what hostile repositories cost. `npm run bench -- hostile [--quick] [--only WORD]` makes each, packs or scans it
 * with the built program and tells outcome, code, seconds and the highest memory of program and git together.
 *
 * A shape holds when it is read or refused with the code that is named here, within its bounds. Making the repositories
 * takes longer than reading them.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatTable } from '../src/cli/tables.js';
import { MOST_FINDINGS_IN_BUNDLE, MOST_FINDINGS_IN_TEXT, MOST_KNOWN_VALUES } from '../src/contract/item-bounds.js';
import { expandExample } from '../src/rules/expand-example.js';
import {
  bigFile,
  cyclicLinks,
  deepTree,
  deltaBomb,
  lyingLoose,
  lyingPack,
  manyFiles,
  manyRefs,
  oneFileAt,
  pathOf,
  treeBomb,
} from '../test/support/hostile-shapes.js';
import { type MadeRepository, makeRepository } from '../test/support/make-repository.js';
import { makeProgramHome } from '../test/support/program-home.js';
import { writeRun } from './support/run-record.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const POLL_MS = 20;
/** Git may be silent for 60. */
const MOST_SECONDS = 90;
const MOST_RSS_MB = 700;
/** Where every finding is held until the bundle is blanked, or each of two threads makes an index of all known values. */
const MOST_RSS_MB_OF_FINDINGS = 1200;
const THREADS = 2;
const PACK = ['pack', '.'] as const;
const WIDE = { oracle: { bundles: { cap: '256 MiB' } }, coldseal: { threads: THREADS } } as const;

interface Shape {
  readonly name: string;
  /** `packed`, `scanned`, or the code of the refusal. */
  readonly expected: string;
  /** What the refusal says, where its code alone does not tell which bound it is. */
  readonly says?: RegExp;
  readonly words?: readonly string[];
  /** Where other memory is allowed than `MOST_RSS_MB`. */
  readonly mostRssMb?: number;
  make(isQuick: boolean): Promise<MadeRepository> | MadeRepository;
}

const SHAPES: readonly Shape[] = [
  {
    name: '1,000,000 tiny files',
    expected: 'ITEM_TOO_LARGE',
    make: (q) => manyFiles(q ? 120_000 : 1_000_000),
  },
  { name: 'one file of 5 GB', expected: 'ITEM_TOO_LARGE', make: (q) => bigFile(q ? GIB : 5 * GIB, 80) },
  { name: 'a line of 50 MB', expected: 'OVER_CAP', make: () => bigFile(50_000_000, 50_000_000) },
  { name: 'a tree 10,000 deep', expected: 'ITEM_TOO_LARGE', make: () => deepTree(10_000) },
  { name: 'a path of 4,096 bytes', expected: 'packed', make: () => oneFileAt(pathOf(4096)) },
  { name: 'a path of 4,097 bytes', expected: 'ITEM_TOO_LARGE', make: () => oneFileAt(pathOf(4097)) },
  { name: 'a loose object that holds more', expected: 'GIT_FAILED', make: () => lyingLoose(10, 100_000) },
  // Git streams it, ends early and says nothing: the limit on silence ends the run.
  { name: 'a loose object that holds less', expected: 'GIT_FAILED', make: () => lyingLoose(60 * MIB, 10) },
  { name: 'a loose object of a terabyte, it says', expected: 'ITEM_TOO_LARGE', make: () => lyingLoose(2 ** 40, 10) },
  { name: 'a packed object that holds more', expected: 'ITEM_UNREADABLE', make: () => lyingPack(10, 100_000) },
  { name: 'a packed object that holds less', expected: 'ITEM_UNREADABLE', make: () => lyingPack(60 * MIB, 10) },
  { name: 'a delta that unfolds to 4 GiB', expected: 'ITEM_TOO_LARGE', make: () => deltaBomb(128 * MIB, 4 * GIB) },
  { name: 'a small file over a delta of 4 GiB', expected: 'ITEM_TOO_LARGE', make: () => deltaBomb(4 * GIB, 1000) },
  { name: '10^10 files in eleven trees', expected: 'ITEM_TOO_LARGE', make: () => treeBomb(10) },
  { name: 'links in circles', expected: 'packed', make: cyclicLinks },
  { name: 'links in circles, scanned', expected: 'scanned', words: ['scan'], make: cyclicLinks },
  { name: '100,000 refs', expected: 'packed', make: () => manyRefs(100_000) },
  {
    name: 'a sparse file of 5 GB in a work tree, scanned',
    expected: 'ITEM_TOO_LARGE',
    says: /big\.txt/,
    words: ['scan'],
    make: () => sparseFile(5 * GIB),
  },
  {
    name: 'one text with one finding too many',
    expected: 'SCAN_FAILED',
    says: /more than 250000 findings in its/,
    mostRssMb: MOST_RSS_MB_OF_FINDINGS,
    make: () => sameSecret(1, MOST_FINDINGS_IN_TEXT + 1),
  },
  {
    name: 'five texts with too many findings together',
    expected: 'SCAN_FAILED',
    says: /bundle holds more than 1000000 findings/,
    mostRssMb: MOST_RSS_MB_OF_FINDINGS,
    make: () => sameSecret(5, MOST_FINDINGS_IN_BUNDLE / 5 + 1),
  },
  {
    name: '100,000 different secrets',
    expected: 'packed',
    mostRssMb: MOST_RSS_MB_OF_FINDINGS,
    make: () => differentSecrets(MOST_KNOWN_VALUES),
  },
  {
    name: '101,000 different secrets',
    expected: 'SCAN_FAILED',
    says: /\(known-values\); \d+ of them stand in itm-0001 full\.txt\. /,
    mostRssMb: MOST_RSS_MB_OF_FINDINGS,
    make: () => differentSecrets(MOST_KNOWN_VALUES + 1000),
  },
];

/** Nothing on the disk but its size; not committed. */
const sparseFile = (bytes: number): MadeRepository => {
  const made = makeRepository();
  made.commit('first', { 'a.txt': 'a\n' });
  made.write('big.txt', 'x\n');
  truncateSync(join(made.folder, 'big.txt'), bytes);
  return made;
};

const sameSecret = (files: number, times: number): MadeRepository => {
  const made = makeRepository();
  const text = `${expandExample('{github:ghp}', 'hostile')}\n`.repeat(times);
  made.commit('first', Object.fromEntries(Array.from({ length: files }, (_, at) => [`f-${at}.txt`, text])));
  return made;
};

const differentSecrets = (count: number): MadeRepository => {
  const made = makeRepository();
  const lines = Array.from({ length: count }, (_, at) => `${expandExample('{github:ghp}', `hostile ${at}`)}\n`);
  made.commit('first', { 'full.txt': lines.join('') });
  return made;
};

/** Resident memory of a process and all that it started. */
const treeBytes = (pid: number): number => {
  try {
    const own = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return children.reduce((sum, child) => sum + treeBytes(child), own);
  } catch {
    return 0; // It has ended.
  }
};

const measure = async (shape: Shape, isQuick: boolean) => {
  const made = await shape.make(isQuick);
  const home = makeProgramHome(shape.mostRssMb === undefined && shape.says === undefined ? {} : WIDE);
  const program = resolve('dist', 'cli.js');
  let peak = 0;
  let timer: NodeJS.Timeout | undefined;
  const onStart = ({ pid = 0 }: ChildProcess): void => {
    timer = setInterval(() => {
      peak = Math.max(peak, treeBytes(pid));
    }, POLL_MS);
  };
  try {
    const began = performance.now();
    const ran = await home.run(made.folder, [...(shape.words ?? PACK), '--json'], { onStart, program });
    const seconds = (performance.now() - began) / 1000;
    const told = JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) as {
      outcome?: string;
      code?: string;
      message?: string;
    };
    const outcome = told.code ?? told.outcome ?? `exit ${ran.exit}`;
    const rssMb = peak / 1e6;
    const message = (told.message ?? ran.stderr).replaceAll(made.folder, 'REPOSITORY').replaceAll(home.home, 'HOME');
    const isExpected = outcome === shape.expected && (shape.says?.test(message) ?? true);
    const mostRssMb = shape.mostRssMb ?? MOST_RSS_MB;
    const holds = isExpected && seconds <= MOST_SECONDS && rssMb <= mostRssMb;
    const bounds = { most_seconds: MOST_SECONDS, most_rss_mb: mostRssMb };
    return { name: shape.name, expected: shape.expected, outcome, message, seconds, rss_mb: rssMb, ...bounds, holds };
  } finally {
    clearInterval(timer);
    home.remove();
    made.close();
  }
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, ['--quick', '--only=']);
  const only = asked.text('--only', '');
  const runs: Awaited<ReturnType<typeof measure>>[] = [];
  for (const shape of SHAPES.filter(({ name }) => name.includes(only))) {
    const run = await measure(shape, asked.has('--quick'));
    process.stderr.write(`${run.name}: ${run.outcome} ${run.seconds.toFixed(1)} s ${run.rss_mb.toFixed(0)} MB\n`);
    runs.push(run);
  }
  const heads = ['shape', 'seconds', 'peak MB', 'holds', 'outcome'];
  const table = formatTable(
    heads.map((head, at) => ({ head, align: at === 0 || at > 2 ? 'left' : 'right' })),
    runs.map((run) => [run.name, run.seconds.toFixed(1), run.rss_mb.toFixed(0), run.holds ? 'yes' : 'NO', run.outcome]),
    null,
  );
  const file = writeRun(process.cwd(), 'hostile', words, { runs });
  process.stdout.write(`${table.join('\n')}\n\nraw run: ${file}\n`);
  process.exitCode = runs.every(({ holds }) => holds) ? 0 : 1;
};

await main(process.argv.slice(2));
