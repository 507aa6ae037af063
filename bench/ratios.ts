/**
 * Program: the engine against its peers, in one run on the same bytes. `npm run bench -- ratios [--quick] [--mib N]
 * [--rounds N] [--corpus NAME] [--without-peers] [--install-peers]`.
 *
 * Only ratios of one run mean something. The engine's figures by item size and those against one-threaded peers are by
 * processor time, which a busy machine hardly changes; what threads gain is by the clock. Every round is kept.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { formatTable } from '../src/cli/tables.js';
import { CORPORA, type CorpusName, corpusBytes } from './support/corpora.js';
import { itemsOf } from './support/items.js';
import { type Contender, cpuSpeed, type Measured, measureInterleaved, timed, wallSpeed } from './support/measure.js';
import { assembleInMemory, openPool } from './support/memory-assembly.js';
import { keywordsOf, type OpenPeer, openPeers, writePeerFiles } from './support/peers.js';
import {
  countHits,
  openPrimary,
  primaryBatches,
  readTables,
  servePrimary,
  startPrimary,
} from './support/primary-threads.js';
import { writeRun } from './support/run-record.js';
import { type JudgedTarget, judge, type Target, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const KIB = 1024;
const MIB = KIB * KIB;
/** Secret-dense text says the same with less: a finding in half a kilobyte. */
const DENSE_SHARE = 6;
/** Items of the comparison. */
const ITEM_BYTES = 16 * KIB;
const ITEM_SIZES = [KIB, ITEM_BYTES, 256 * KIB] as const;
const KNOWN = ['--quick', '--mib=', '--rounds=', '--corpus=', '--without-peers', '--install-peers'];

const root = process.cwd();
const dist = join(root, 'dist');

const sizeName = (bytes: number, whole: number): string =>
  bytes >= whole ? `one ${Math.round(whole / MIB)} MiB item` : `${bytes / KIB} KiB items`;

interface CorpusRun {
  readonly corpus: CorpusName;
  readonly megabytes: number;
  readonly measured: readonly Measured[];
  readonly peers: readonly Pick<OpenPeer, 'name' | 'version' | 'threads' | 'facts'>[];
}

const measureCorpus = async (
  corpus: CorpusName,
  bytes: number,
  rounds: number,
  withPeers: boolean,
): Promise<CorpusRun> => {
  const text = corpusBytes(corpus, root, bytes);
  const tables = readTables(dist);
  const primary = openPrimary(dist, tables);
  const items = itemsOf(text, ITEM_BYTES);
  const folder = mkdtempSync(join(tmpdir(), 'coldseal-bench-'));
  const closing: (() => Promise<void>)[] = [];
  const opened = async <T extends { close(): Promise<void> }>(open: Promise<T>): Promise<T> => {
    const one = await open;
    closing.push(() => one.close());
    return one;
  };
  try {
    const contenders: Contender[] = [...ITEM_SIZES, bytes].map((size) => {
      const batches = primaryBatches(text, size);
      return {
        name: `primary, ${sizeName(size, bytes)}`,
        bytes,
        round: () => timed(() => countHits(primary, batches)),
      };
    });
    for (const threads of [1, 2]) {
      const started = await opened(startPrimary(new URL(import.meta.url), dist, text, ITEM_BYTES, threads));
      contenders.push({ name: `primary, ${threads} threads`, bytes, round: started.round });
    }
    for (const threads of [1, 2]) {
      const pool = await opened(openPool(dist, threads));
      const assemble = async (): Promise<number> => (await assembleInMemory(pool, items)).bundle.blanked.length;
      contenders.push({ name: `everything on, ${threads} threads`, bytes, round: () => timed(assemble) });
    }
    const peers: OpenPeer[] = [];
    if (withPeers) {
      writePeerFiles({ root, folder }, items, tables);
      peers.push(...(await openPeers({ root, folder })));
      closing.push(...peers.map((peer) => () => peer.close()));
      contenders.push(...peers.map((peer) => ({ name: peer.name, bytes, round: () => peer.round() })));
    }
    const measured = await measureInterleaved(contenders, rounds, 2);
    const facts = peers.map(({ name, version, threads, facts: own }) => ({ name, version, threads, facts: own }));
    return { corpus, megabytes: bytes / 1e6, measured, peers: facts };
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Floors of engine.md section 4. */
const targetsOf = ({ corpus, measured, megabytes }: CorpusRun): JudgedTarget[] => {
  const of = (name: string): Measured | undefined => measured.find((one) => one.name === name);
  const ratio = (speed: (one: Measured) => number, name: string, base: string): number | null => {
    const [one, other] = [of(name), of(base)];
    return one === undefined || other === undefined ? null : speed(one) / speed(other);
  };
  const whole = Math.round((megabytes * 1e6) / MIB);
  const reference = `primary, ${sizeName(ITEM_BYTES, Infinity)}`;
  const row = (name: string, least: number, measuredRatio: number | null): Target[] =>
    measuredRatio === null ? [] : [{ name: `${corpus}: ${name}`, least, unit: 'x', measured: measuredRatio }];
  return [
    ...row('primary against Hyperscan', corpus === 'secret-dense' ? 0.2 : 0.5, ratio(cpuSpeed, reference, 'hyperscan')),
    ...row('everything on against secretlint', 8, ratio(cpuSpeed, 'everything on, 1 threads', 'secretlint')),
    ...row('1 KiB items against 16 KiB', 0.5, ratio(cpuSpeed, `primary, ${sizeName(KIB, Infinity)}`, reference)),
    ...row(
      '256 KiB items against 16 KiB',
      0.5,
      ratio(cpuSpeed, `primary, ${sizeName(256 * KIB, Infinity)}`, reference),
    ),
    ...row('one item against 16 KiB', 0.5, ratio(cpuSpeed, `primary, one ${whole} MiB item`, reference)),
    ...row('primary, two threads against one', 1.7, ratio(wallSpeed, 'primary, 2 threads', 'primary, 1 threads')),
    ...row(
      'everything on, two threads against one',
      1.7,
      ratio(wallSpeed, 'everything on, 2 threads', 'everything on, 1 threads'),
    ),
  ].map(judge);
};

const tableOf = ({ corpus, megabytes, measured }: CorpusRun): string => {
  const base = measured.find(({ name }) => name === `primary, ${sizeName(ITEM_BYTES, Infinity)}`);
  const rows = measured.map((one) => [
    one.name,
    cpuSpeed(one).toFixed(0),
    wallSpeed(one).toFixed(0),
    base === undefined ? '' : (cpuSpeed(one) / cpuSpeed(base)).toFixed(2),
    String(one.rounds[0]?.found ?? 0),
  ]);
  const heads = [
    `${corpus}, ${megabytes.toFixed(1)} MB`,
    'MB/s of processor',
    'MB/s by the clock',
    'to 16 KiB',
    'found',
  ];
  return formatTable(
    heads.map((head, at) => ({ head, align: at === 0 ? 'left' : 'right' })),
    rows,
    null,
  ).join('\n');
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const mib = asked.number('--mib', asked.has('--quick') ? 8 : 48);
  const rounds = asked.number('--rounds', asked.has('--quick') ? 3 : 7);
  const only = asked.text('--corpus', '');
  if (asked.has('--install-peers')) {
    const installed = spawnSync('npm', ['ci', '--prefix', 'bench/peers', '--ignore-scripts'], {
      cwd: root,
      stdio: 'inherit',
    });
    if (installed.status !== 0) throw new Error('the peers could not be installed');
  }
  const runs: CorpusRun[] = [];
  for (const corpus of CORPORA.filter((name) => only === '' || name === only)) {
    const bytes = Math.ceil(mib / (corpus === 'secret-dense' ? DENSE_SHARE : 1)) * MIB;
    const run = await measureCorpus(corpus, bytes, rounds, !asked.has('--without-peers'));
    process.stdout.write(`${tableOf(run)}\n\n`);
    runs.push(run);
  }
  const targets = runs.flatMap(targetsOf);
  const keywords = keywordsOf(readTables(dist));
  const refused = runs[0]?.peers.find(({ name }) => name === 'hyperscan')?.facts;
  if (refused !== undefined) {
    process.stdout.write(
      `Hyperscan takes ${refused['patterns']} of the rules' patterns and refuses ${refused['refused']}.\n`,
    );
  }
  process.stdout.write(`ripgrep looks for ${keywords.words.length} keywords; ${keywords.leftOut} are no plain text.\n`);
  process.stdout.write(`\n${targetTable(targets)}\n`);
  const keywordCounts = { words: keywords.words.length, left_out: keywords.leftOut };
  const file = writeRun(root, 'ratios', words, { rounds, targets, keywords: keywordCounts, runs });
  process.stdout.write(`\nevery round: ${file}\n`);
};

if (isMainThread) await main(process.argv.slice(2));
else servePrimary();
