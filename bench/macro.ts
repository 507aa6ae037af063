/**
 * Program: files to a sealed bundle, with git and everything on, against the engine in memory; threads 1 to N. `npm run
 * bench -- macro [--quick] [--mib N] [--rounds N] [--threads N]`.
 *
 * A repository of each corpus, its objects in one pack as a clone has them, goes whole through the code of `coldseal pack .`
 * on threads that run already. The measure is one thread of the engine over the same items in memory, all views on, times
 * the threads: what is lost beside it is git, reading, blanking, framing and the second scan, which alone is as much work
 * as the first.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { packBundle } from '../src/app/pack-bundle.js';
import { formatTable } from '../src/cli/tables.js';
import type { ScanBatch } from '../src/contract/scan.js';
import type { ScanPool } from '../src/pool/scan-pool.js';
import { type BenchWorld, openBenchWorld } from './support/bench-world.js';
import { CORPORA, type CorpusFile, type CorpusName, corpusFiles } from './support/corpora.js';
import { batchesOf } from './support/items.js';
import { type Contender, type Measured, measureInterleaved, timed, wallSpeed } from './support/measure.js';
import { changeReviewProfile, openPool } from './support/memory-assembly.js';
import { writeRun } from './support/run-record.js';
import { type JudgedTarget, judge, targetTable } from './support/targets.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const BATCH_BYTES = 256 * 1024;
const KNOWN = ['--quick', '--mib=', '--rounds=', '--threads=', '--corpus='];
const LEAST_OF_ENGINE = 0.6;
/** Secret-dense text says the same with less. */
const DENSE_SHARE = 6;

const root = process.cwd();
const dist = join(root, 'dist');

interface CorpusRun {
  readonly corpus: CorpusName;
  readonly bytes: number;
  readonly items: number;
  readonly measured: readonly Measured[];
}

const batchesOfFiles = (pool: ScanPool, files: readonly CorpusFile[]): ScanBatch[] => {
  const profile = changeReviewProfile(pool.rulesDigest);
  const texts = files.map(({ bytes }) => bytes);
  return batchesOf(texts, BATCH_BYTES).map((batch) => {
    const buffer = new SharedArrayBuffer(
      Math.max(
        1,
        batch.reduce((sum, { length }) => sum + length, 0),
      ),
    );
    let offset = 0;
    const inputs = batch.map((text, ref) => {
      new Uint8Array(buffer, offset, text.length).set(text);
      offset += text.length;
      return { ref, offset: offset - text.length, length: text.length };
    });
    return { task: 'scan', buffer, inputs, profile };
  });
};

const engineRound = (pool: ScanPool, batches: readonly ScanBatch[]) => (): Promise<number> =>
  Promise.all(batches.map((batch) => pool.scan(batch))).then((replies) =>
    replies.reduce((sum, { outcomes }) => sum + outcomes.filter(({ ok }) => ok).length, 0),
  );

const packRound = (world: BenchWorld, pool: ScanPool) => async (): Promise<number> => {
  const surroundings = { ...world.surroundings(root), sharedScanner: pool };
  const words = { kind: 'source_question', paths: ['.'], range: null, intent: null, from: null, to: null } as const;
  const { document, sealed } = await packBundle(surroundings, words, () => undefined);
  if (sealed === null) throw new Error(`not packed: ${document.code} ${document.message}`);
  return sealed.blanked.length;
};

const measureCorpus = async (
  corpus: CorpusName,
  mib: number,
  rounds: number,
  threads: readonly number[],
): Promise<CorpusRun> => {
  const world = openBenchWorld();
  const pools: ScanPool[] = [];
  try {
    const files = [...corpusFiles(corpus, root, mib * MIB)];
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    world.commit(files);
    world.pack();
    const alone = await openPool(dist, 1);
    pools.push(alone);
    const engine = engineRound(alone, batchesOfFiles(alone, files));
    const contenders: Contender[] = [{ name: 'engine in memory, 1 thread', bytes, round: () => timed(engine) }];
    for (const count of threads) {
      const pool = await openPool(dist, count);
      pools.push(pool);
      const pack = packRound(world, pool);
      contenders.push({ name: `files to sealed bundle, ${count} threads`, bytes, round: () => timed(pack) });
    }
    return { corpus, bytes, items: files.length, measured: await measureInterleaved(contenders, rounds, 2) };
  } finally {
    for (const pool of pools) await pool.close();
    world.close();
  }
};

const targetsOf = ({ corpus, measured }: CorpusRun): JudgedTarget[] => {
  const [engine, ...packed] = measured;
  const two = packed.find(({ name }) => name.endsWith(' 2 threads'));
  if (engine === undefined || two === undefined) return [];
  return [
    judge({
      name: `${corpus}: files to sealed bundle, two threads, to twice the engine`,
      least: LEAST_OF_ENGINE,
      unit: 'x',
      measured: wallSpeed(two) / (2 * wallSpeed(engine)),
    }),
  ];
};

const tableOf = ({ corpus, bytes, items, measured }: CorpusRun): string => {
  const base = measured[0];
  const head = `${corpus}, ${(bytes / 1e6).toFixed(1)} MB in ${items} files`;
  return formatTable(
    [head, 'MB/s by the clock', 'to the engine', 'found'].map((text, at) => ({
      head: text,
      align: at === 0 ? 'left' : 'right',
    })),
    measured.map((one) => [
      one.name,
      wallSpeed(one).toFixed(0),
      base === undefined ? '' : (wallSpeed(one) / wallSpeed(base)).toFixed(2),
      String(one.rounds[0]?.found ?? 0),
    ]),
    null,
  ).join('\n');
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = readWords(words, KNOWN);
  const mib = asked.number('--mib', asked.has('--quick') ? 8 : 96);
  const rounds = asked.number('--rounds', asked.has('--quick') ? 3 : 7);
  const most = asked.number('--threads', Math.max(2, availableParallelism()));
  const threads = Array.from({ length: most }, (_, index) => index + 1);
  const only = asked.text('--corpus', '');
  const runs: CorpusRun[] = [];
  for (const corpus of CORPORA.filter((name) => only === '' || name === only)) {
    const size = Math.ceil(mib / (corpus === 'secret-dense' ? DENSE_SHARE : 1));
    const run = await measureCorpus(corpus, size, rounds, threads);
    process.stdout.write(`${tableOf(run)}\n\n`);
    runs.push(run);
  }
  const targets = runs.flatMap(targetsOf);
  process.stdout.write(`${targetTable(targets)}\n\nraw run: ${writeRun(root, 'macro', words, { targets, runs })}\n`);
  process.exitCode = targets.every(({ holds }) => holds) ? 0 : 1;
};

await main(process.argv.slice(2));
