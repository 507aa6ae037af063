/**
 * Program: what a run over its cap still does. `npm run bench -- abort [MIB] [ABORTS]` packs a repository of that size (96)
 * at caps of 1 %, 50 % and 99 % of it, as many small files and as a few big ones, and tells the bytes that were scanned
 * after the tally crossed the cap, and the time from there until the run is refused, git is gone and no thread is at work.
 * Then it does so again and again (1,000 times) and tells what the process holds before and after.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openThreads } from '../src/app/open-scanner.js';
import { packBundle } from '../src/app/pack-bundle.js';
import type { ScanPool } from '../src/pool/scan-pool.js';
import { appSurroundings } from '../test/support/app-surroundings.js';
import { childrenOfSelf, heldNow } from '../test/support/left-behind.js';
import { gitTestEnvironment, makeRepository, makeTestFolder } from '../test/support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../test/support/program-home.js';
import { type CorpusName, corpusFiles } from './support/corpora.js';
import { writeRun } from './support/run-record.js';
import { readWords } from './support/words.js';

const MIB = 1024 * 1024;
const PROJECT = resolve('.');
const THREADS = 2;
const IN_FLIGHT_BYTES = 64 * MIB;
const MOST_STOP_MS = 150;
/** Of the repository that is packed again and again. */
const REPEATED_BYTES = 4 * MIB;
const SHARES = [0.01, 0.5, 0.99] as const;

/** A repository with the corpus as its one commit; the bytes of its files. */
const commitCorpus = async (name: CorpusName, totalBytes: number) => {
  const repository = makeRepository();
  const importer = spawn('git', ['fast-import', '--quiet', '--force'], {
    cwd: repository.folder,
    env: gitTestEnvironment(),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const put = async (bytes: string | Uint8Array): Promise<void> => {
    if (!importer.stdin.write(bytes)) await once(importer.stdin, 'drain');
  };
  await put('commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n');
  let bytes = 0;
  let at = 0;
  for (const file of corpusFiles(name, PROJECT, totalBytes)) {
    await put(`M 100644 inline f-${at}.txt\ndata ${file.bytes.length}\n`);
    await put(file.bytes);
    await put('\n');
    bytes += file.bytes.length;
    at += 1;
  }
  importer.stdin.end();
  await once(importer, 'close');
  execFileSync('git', ['reset', '-q', 'HEAD'], { cwd: repository.folder, env: gitTestEnvironment() });
  return { repository, bytes, files: at };
};

interface Stop {
  readonly code: string;
  readonly bytesAfter: number;
  readonly stopMs: number;
}

const packOver = async (folder: string, home: ProgramHome, scanner: ScanPool, capBytes: number): Promise<Stop> => {
  let blanked = 0;
  let crossedMs: number | null = null;
  let bytesAfter = 0;
  const surroundings = appSurroundings({ folder, home: home.home, project: PROJECT, more: { sharedScanner: scanner } });
  const words = { kind: 'source_question', paths: ['.'], range: null, intent: null, from: null, to: null } as const;
  const { document } = await packBundle(surroundings, words, (event) => {
    if (event.kind !== 'scanned') return;
    if (crossedMs !== null) bytesAfter += event.bytes;
    blanked += event.blankedBytes;
    if (blanked > capBytes) crossedMs ??= performance.now();
  });
  while (scanner.stats().threadsBusy > 0 || childrenOfSelf().length > 0) await pause(1);
  const stopMs = performance.now() - (crossedMs ?? Number.NaN);
  return { code: document.code ?? document.outcome, bytesAfter, stopMs };
};

interface Row extends Readonly<Record<string, unknown>> {
  readonly holds: boolean;
}

const tell = (row: Row): Row => {
  process.stdout.write(`${JSON.stringify(row)}\n`);
  return row;
};

/** Many runs over their cap in one process; what it holds before and after. */
const abortOften = async (home: ProgramHome, scanner: ScanPool, temporary: string, aborts: number): Promise<Row> => {
  const { repository } = await commitCorpus('many-small', REPEATED_BYTES);
  process.env['TMPDIR'] = temporary;
  const cap = Math.floor(REPEATED_BYTES / 100);
  home.writeMachine({ oracle: { bundles: { cap } }, coldseal: { threads: THREADS } });
  for (let at = 0; at < 5; at += 1) await packOver(repository.folder, home, scanner, cap);
  const before = heldNow(temporary);
  const beganMs = performance.now();
  for (let at = 0; at < aborts; at += 1) await packOver(repository.folder, home, scanner, cap);
  const seconds = Number(((performance.now() - beganMs) / 1000).toFixed(1));
  const after = heldNow(temporary);
  delete process.env['TMPDIR'];
  repository.close();
  return tell({ aborts, seconds, before, after, holds: JSON.stringify(before) === JSON.stringify(after) });
};

const main = async (words: readonly string[]): Promise<void> => {
  const { rest } = readWords(words, []);
  const [mib, aborts] = [Number(rest[0] ?? '96'), Number(rest[1] ?? '1000')];
  const stops: Row[] = [];
  const temporary = join(makeTestFolder(), 'tmp');
  mkdirSync(temporary);
  const home = makeProgramHome({});
  const scanner = await openThreads(join(PROJECT, 'dist'), THREADS);
  const withCap = (cap: number) => home.writeMachine({ oracle: { bundles: { cap } }, coldseal: { threads: THREADS } });
  try {
    for (const name of ['many-small', 'few-big'] as const) {
      const { repository, bytes, files } = await commitCorpus(name, mib * MIB);
      process.env['TMPDIR'] = temporary;
      for (const share of SHARES) {
        const capBytes = Math.floor(bytes * share);
        withCap(capBytes);
        await packOver(repository.folder, home, scanner, capBytes);
        const { code, bytesAfter, stopMs } = await packOver(repository.folder, home, scanner, capBytes);
        const holds = code === 'OVER_CAP' && bytesAfter <= IN_FLIGHT_BYTES && stopMs <= MOST_STOP_MS;
        const row = tell({
          corpus: name,
          files,
          mib: Math.round(bytes / MIB),
          cap_share: share,
          code,
          scanned_after_crossing_kib: Math.round(bytesAfter / 1024),
          full_stop_ms: Math.round(stopMs),
          holds,
        });
        stops.push(row);
      }
      delete process.env['TMPDIR'];
      repository.close();
    }
    const repeated = await abortOften(home, scanner, temporary, aborts);
    process.stdout.write(`raw run: ${writeRun(PROJECT, 'abort', words, { stops, repeated })}\n`);
    process.exitCode = [...stops, repeated].every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await scanner.close();
    home.remove();
  }
};

await main(process.argv.slice(2));
