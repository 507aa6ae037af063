/**
 * Program: does a process that makes bundle after bundle grow? `npm run bench -- soak [BUNDLES]` (10,000) packs one small
 * repository again and again with the same threads, two at once, as a service does, and tells the resident memory of each
 * tenth of the way. Most of a bundle's time is git's own start, so they are small: ten thousand take a quarter of an hour.
 *
 * The last tenth may be 5 % over the second; descriptors, threads and listeners must be the same at both ends.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openThreads } from '../src/app/open-scanner.js';
import { packBundle } from '../src/app/pack-bundle.js';
import { expandExample } from '../src/rules/expand-example.js';
import { appSurroundings } from '../test/support/app-surroundings.js';
import { heldNow } from '../test/support/left-behind.js';
import { makeRepository, makeTestFolder } from '../test/support/make-repository.js';
import { makeProgramHome } from '../test/support/program-home.js';
import { writeRun } from './support/run-record.js';
import { readWords } from './support/words.js';

const PARTS = 10;
const MOST_GROWTH = 1.05;
const FILES = 12;
const LINES = 40;
const AT_ONCE = 2;
const LINE = 'export const total = (rows: readonly Row[]): number => rows.length;\n';
const WORDS = { kind: 'source_question', paths: ['.'], range: null, intent: null, from: null, to: null } as const;

interface Part {
  readonly bundles: number;
  readonly rss_mb: number;
  readonly ms_each: number;
}

const main = async (words: readonly string[]): Promise<void> => {
  const bundles = Number(readWords(words, []).rest[0] ?? '10000');
  const project = resolve('.');
  const temporary = join(makeTestFolder(), 'tmp');
  mkdirSync(temporary);
  const home = makeProgramHome({});
  const repository = makeRepository();
  const textOf = (at: number): string =>
    `${LINE.repeat(LINES)}token = "${expandExample('{github:ghp}', `soak ${at}`)}"\n`;
  repository.commit('first', Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`f-${at}.ts`, textOf(at)])));
  const scanner = await openThreads(join(project, 'dist'), 2);
  const environment = { PATH: process.env['PATH'], HOME: home.home, TMPDIR: temporary };
  const more = { sharedScanner: scanner, environment };
  const packOnce = async (): Promise<void> => {
    const surroundings = appSurroundings({ folder: repository.folder, home: home.home, project, more });
    const { document, sealed } = await packBundle(surroundings, WORDS, () => undefined);
    if (sealed?.blanked.length !== FILES) throw new Error(`a bundle came out otherwise: ${document.outcome}`);
  };
  try {
    await packOnce();
    const before = heldNow(temporary);
    const means: number[] = [];
    const parts: Part[] = [];
    for (let part = 0; part < PARTS; part += 1) {
      let sum = 0;
      const size = Math.floor(bundles / PARTS);
      const beganMs = performance.now();
      let left = size;
      const packOn = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await packOnce();
          sum += process.memoryUsage.rss();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, packOn));
      means.push(sum / size);
      const each = (performance.now() - beganMs) / size;
      const rssMb = Number((sum / size / 1e6).toFixed(1));
      parts.push({ bundles: (part + 1) * size, rss_mb: rssMb, ms_each: Math.round(each) });
      process.stdout.write(`${JSON.stringify(parts.at(-1))}\n`);
    }
    const after = heldNow(temporary);
    const growth = (means.at(-1) ?? Number.NaN) / (means[1] ?? Number.NaN);
    const holds = growth <= MOST_GROWTH && JSON.stringify(before) === JSON.stringify(after);
    const sum = { bundles, growth: Number(growth.toFixed(3)), before, after, holds };
    const file = writeRun(project, 'soak', words, { parts, ...sum });
    process.stdout.write(`${JSON.stringify(sum)}\nraw run: ${file}\n`);
    process.exitCode = holds ? 0 : 1;
  } finally {
    await scanner.close();
    repository.close();
    home.remove();
    rmSync(resolve(temporary, '..'), { recursive: true, force: true });
  }
};

await main(process.argv.slice(2));
