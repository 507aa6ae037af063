/**
 * Runs that end early, a hundred in one process: over the cap, and called off at each stage. Nothing may be left of any of
 * them by the kernel's own account: no descriptor, thread, child, listener or temporary file.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openThreads } from '../../src/app/open-scanner.js';
import { packBundle } from '../../src/app/pack-bundle.js';
import type { RunEvent } from '../../src/contract/observer.js';
import type { ScanPool } from '../../src/pool/scan-pool.js';
import { appSurroundings } from '../support/app-surroundings.js';
import { childrenOfSelf, heldNow } from '../support/left-behind.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { projectFolder } from '../support/run-coldseal.js';

const ABORTS = 100;
const FILES = 300;
const WORDS = { kind: 'source_question', paths: ['.'], range: null, intent: null, from: null, to: null } as const;

let repository: MadeRepository;
let home: ProgramHome;
let scanner: ScanPool;
let temporary: string;
beforeAll(async () => {
  temporary = makeTestFolder();
  mkdirSync(join(temporary, 'tmp'));
  repository = makeRepository();
  const text = 'export const total = (rows: readonly Row[]): number => rows.length;\n'.repeat(200);
  repository.commit('first', Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`f-${at}.ts`, text])));
  home = makeProgramHome({ oracle: { bundles: { cap: '64KiB' } } });
  scanner = await openThreads(join(projectFolder, 'dist'), 2);
});
afterAll(async () => {
  await scanner.close();
  repository.close();
  home.remove();
  rmSync(temporary, { recursive: true, force: true });
});

/** One run that ends early: over its cap, or called off when it tells this. */
const endEarly = async (calledOffAt: RunEvent['kind'] | null): Promise<string> => {
  const caller = new AbortController();
  const surroundings = appSurroundings({
    folder: repository.folder,
    home: home.home,
    project: projectFolder,
    more: {
      sharedScanner: scanner,
      signal: caller.signal,
      environment: { PATH: process.env['PATH'], HOME: home.home, TMPDIR: join(temporary, 'tmp') },
    },
  });
  const ended = await packBundle(surroundings, WORDS, ({ kind }) => {
    if (kind === calledOffAt) caller.abort('called off');
  }).then(
    ({ document }) => document.code ?? document.outcome,
    (reason: unknown) => String(reason),
  );
  while (scanner.stats().threadsBusy > 0) await pause(1);
  return ended;
};

it('leaves nothing behind, a hundred times', async () => {
  const ways = [null, 'stage', 'planned', 'scanned'] as const;
  for (const way of ways) expect(await endEarly(way)).toBe(way === null ? 'OVER_CAP' : 'called off');
  const before = heldNow(join(temporary, 'tmp'));
  expect(before).toMatchObject({ children: 0, temporary: 0 });
  for (let at = 0; at < ABORTS; at += 1) await endEarly(ways[at % ways.length] ?? null);
  expect(childrenOfSelf()).toEqual([]);
  expect(scanner.stats()).toMatchObject({ threadsBusy: 0, queueDepth: 0, restarts: 0 });
  expect(heldNow(join(temporary, 'tmp'))).toEqual(before);
}, 240_000);
