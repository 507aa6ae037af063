/** The built program as a person's benchmark: the same bundle as `pack`, figures that add up, a page that needs nothing. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BenchDocument, MeasuredRepository } from '../../src/app/bench/bench-document.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { randomText } from '../support/scan-fixtures.js';

let repository: MadeRepository;
let home: ProgramHome;

const token = (seed: number): string => ['ghp', randomText(seed, 36)].join('_');

beforeAll(() => {
  repository = makeRepository();
  home = makeProgramHome({});
  repository.commit('all', {
    'src/a.ts': `export const a = 1;\n`.repeat(200),
    'src/b.ts': `const token = "${token(1)}";\nconst other = "${token(2)}";\n`,
    'docs/notes.md': `The token ${token(1)} stands here as well.\n`,
    'empty.txt': '',
    'image.bin': Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 7) % 256)),
    '.env': `TOKEN=${token(3)}\n`,
  });
});

afterAll(() => {
  repository.close();
  home.remove();
});

const benchDocument = async (words: readonly string[]): Promise<BenchDocument> => {
  const ran = await home.run(repository.folder, ['bench', '--json', '-q', ...words]);
  // Only the machine's own notice, however many folders are measured.
  expect(ran.stderr.split('\n').filter((line) => line !== '')).toEqual([expect.stringMatching(/^coldseal: HOME is /)]);
  return JSON.parse(ran.stdout) as BenchDocument;
};

const measured = ({ repositories }: BenchDocument): MeasuredRepository => {
  const [first] = repositories;
  if (first?.outcome !== 'measured') throw new Error(`not measured: ${JSON.stringify(first)}`);
  return first;
};

describe('bench measures', { timeout: 60_000 }, () => {
  test('the very bundle that pack writes, round by round', async () => {
    const document = await benchDocument(['--rounds', '2']);
    const one = measured(document);
    const packed = await home.runJson(repository.folder, ['pack', '.']);
    const bundle = packed.document.bundle;
    expect({ items: one.items, bytes: one.sealed_bytes, raw: one.raw_bytes, spans: one.blanked.spans }).toEqual({
      items: bundle?.items.length,
      bytes: bundle?.bytes,
      raw: bundle?.['raw_bytes'],
      spans: bundle?.blanked.length,
    });
    expect(one.blanked.by_kind).toEqual({ 'token:github_pat': 3 });
    expect(one.blanked.items).toBe(2);
    expect(one.omitted).toEqual({ withheld: 1, binary: 1, too_large: 0 });
    expect(one.cap).toMatchObject({ outcome: 'fits', origin: 'default' });
    expect(one.rounds).toHaveLength(2);
    for (const round of one.rounds) {
      expect(round.plan_ms + round.scan_ms + round.seal_ms).toBeLessThanOrEqual(round.wall_ms + 1);
    }
    expect(one.scan_share).toBeGreaterThan(0);
    expect(one.threads_use).toBeGreaterThan(0);
    expect(one.peak_rss_bytes).toBeGreaterThan(20_000_000);
    expect(home.rows()).toEqual([]);
  });

  test('several folders in the order typed, with as many threads as asked for', async () => {
    const document = await benchDocument(['src', '.', '--rounds', '1', '--threads', '1']);
    expect(document.threads).toBe(1);
    expect(document.repositories.map(({ name }) => name)).toEqual(['src', '.']);
    expect(document.repositories.map((one) => (one.outcome === 'measured' ? one.items : 0))).toEqual([2, 6]);
  });

  test('a repository over the cap to its end, and says that a bundle of it would be refused', async () => {
    home.writeMachine({ oracle: { bundles: { cap: 100 } } });
    const one = measured(await benchDocument(['--rounds', '1']));
    expect(one.cap).toMatchObject({ bytes: 100, origin: 'machine', outcome: 'OVER_CAP' });
    expect(one.items).toBe(6);
    home.writeMachine({});
  });
});

describe('bench says', { timeout: 60_000 }, () => {
  test('what changed since an earlier run, and whether both read the same', async () => {
    const before = await benchDocument(['.', 'src', '--rounds', '1']);
    const file = join(home.home, 'before.json');
    writeFileSync(file, JSON.stringify(before));
    const { compared } = await benchDocument(['.', '--rounds', '1', '--compare', file]);
    expect(compared).toMatchObject({ at: before.at, same_machine: true });
    expect(compared?.repositories).toMatchObject([{ name: '.', same_bytes: true }]);
    const changed = { ...before, repositories: before.repositories.map((one) => ({ ...one, head: 'other' })) };
    writeFileSync(file, JSON.stringify(changed));
    const again = await benchDocument(['.', '--rounds', '1', '--compare', file]);
    expect(again.compared?.repositories).toMatchObject([{ same_bytes: false }]);
  });

  test('a table to a person, each kind with its count', async () => {
    const ran = await home.run(repository.folder, ['bench', '--rounds', '1']);
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/^repository +items +bytes +MB\/s/);
    expect(ran.stdout).toContain('blanked in .: token:github_pat 3\n');
    expect(ran.stdout).toContain('fits: ');
  });

  test('the same on a page that loads and runs nothing', async () => {
    const ran = await home.run(repository.folder, ['bench', '--rounds', '1', '--html', join(home.home, 'bench.html')]);
    expect(ran.exit).toBe(0);
    const file = join(home.home, 'bench.html');
    const page = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(page).not.toMatch(/<script|<link|<img|src=|href=|url\(|@import/);
    expect(page.match(/<svg /g)).toHaveLength(3);
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    expect(page).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    for (const seed of [1, 2, 3]) expect(page).not.toContain(token(seed));
  });
});

describe('bench refuses', { timeout: 60_000 }, () => {
  test.each<[string, readonly string[], string]>([
    ['no rounds', ['--rounds', '0'], '--rounds takes a whole number'],
    ['half a thread', ['--threads', '1.5'], '--threads takes a whole number'],
    ['an earlier run that is not there', ['--compare', 'none.json'], 'the file of --compare cannot be read'],
    ['a page in a folder that is not there', ['--html', 'none/page.html'], 'the file of --html'],
  ])('%s', async (_name, words, message) => {
    const ran = await home.run(repository.folder, ['bench', ...words]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(`refused (USAGE): `);
    expect(ran.stderr).toContain(message);
  });

  test('an earlier run that is none', async () => {
    const file = join(home.home, 'none.json');
    for (const text of ['{', '[]', '{"repositories": []}']) {
      writeFileSync(file, text);
      const ran = await home.run(repository.folder, ['bench', '--compare', file]);
      expect(`${ran.exit} ${ran.stderr}`).toMatch(/^2 .*refused \(USAGE\): the file of --compare is no/s);
    }
  });

  test('a repository without a commit, and still measures the others', async () => {
    const empty = makeRepository();
    try {
      const ran = await home.run(repository.folder, ['bench', empty.folder, '.', '--rounds', '1', '--json']);
      const document = JSON.parse(ran.stdout) as BenchDocument;
      expect(ran.exit).toBe(2);
      expect(document.outcome).toBe('refused');
      expect(document.repositories.map(({ outcome }) => outcome)).toEqual(['refused', 'measured']);
      expect(document.repositories[0]).toMatchObject({ code: 'INPUT_MISSING' });
    } finally {
      empty.close();
    }
  });
});
