/** `coldseal pack` from outside: the bundle that would be sent, with no provider and no row. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

const TOKEN = expandExample('{github:ghp}', 'pack');

let home: ProgramHome;
let repository: MadeRepository;

beforeAll(() => {
  home = makeProgramHome({});
  repository = makeRepository();
  const secret = Buffer.from('held = "here"\n');
  repository.commit('first', { 'docs/guide.md': 'guide\n', 'docs/a/README.md': 'inner\n', 'README.md': 'outer\n' });
  repository.commit('second', { 'src/a.txt': `key ${TOKEN}\n`, '.env': secret, 'copy.txt': secret, 'empty.txt': '' });
  repository.write('README.md', 'changed in the work tree alone\n');
});
afterAll(() => {
  home.remove();
  repository.close();
});

const itemsOf = async (words: readonly string[], folder = repository.folder): Promise<readonly string[]> => {
  const { document, exit } = await home.runJson(folder, ['pack', ...words]);
  expect([exit, document.outcome]).toEqual([0, 'packed']);
  return (document.bundle?.items ?? []).map((item) => `${item.input} ${String(item['path'] ?? '')}`.trim());
};

describe('coldseal pack', () => {
  it('writes the framed and blanked bundle of the last commit, says what it holds, and records nothing', async () => {
    const ran = await home.run(repository.folder, ['pack']);
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/^coldseal-bundle\/1 items=5 boundary=[0-9a-f]{16}\n/);
    expect(ran.stdout).toContain('key [blanked token:github_pat #1]');
    expect(ran.stdout).not.toContain(TOKEN);
    expect(ran.stderr).toMatch(
      /change_review: packs 5 items, \d+ bytes; blanked 2 spans in 2 items; not shown: 2 withheld/,
    );
    expect(home.rows()).toEqual([]);
  });

  it('gives the same bytes to a file, and a document that names them', async () => {
    const file = join(home.home, 'bundle.txt');
    const { document, exit } = await home.runJson(repository.folder, ['pack', '--output', file]);
    expect(exit).toBe(0);
    const bytes = readFileSync(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await home.run(repository.folder, ['pack', '-q'])).stdoutBytes).toEqual(bytes);
    expect(document.bundle).toMatchObject({
      kind: 'change_review',
      list_origin: 'compiled',
      bytes: bytes.length,
      cap: 4194304,
      cap_origin: 'default',
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    });
    expect(document.bundle).not.toHaveProperty('approval');
  });

  it.each([
    [['README.md'], ['path README.md']],
    [['docs'], ['path docs/a/README.md', 'path docs/guide.md']],
    [
      ['src/a.txt', 'docs/*.md'],
      ['path src/a.txt', 'path docs/guide.md'],
    ],
    [
      ['docs/guide.md', 'docs'],
      ['path docs/guide.md', 'path docs/a/README.md'],
    ],
  ])('reads the PATHs %j from HEAD, each file once', async (paths, items) => {
    expect(await itemsOf(paths)).toEqual(items);
  });

  it('takes PATHs from the folder it runs in and their text from HEAD', async () => {
    const { stdout } = await home.run(join(repository.folder, 'docs'), ['pack', '../README.md', 'a']);
    expect(stdout).toContain('outer\n');
    expect(stdout).toContain('inner\n');
    expect(stdout).not.toContain('work tree alone');
  });

  it('withholds what is withheld, under every name, and leaves the empty file alone', async () => {
    const { document } = await home.runJson(repository.folder, ['pack', '.env', 'copy.txt', 'empty.txt']);
    expect(document.bundle?.items.map((item) => item['omitted'] ?? null)).toEqual(['withheld', 'withheld', null]);
  });

  it('refuses a bundle over the cap with one row, and nothing on standard output', async () => {
    home.writeMachine({ oracle: { bundles: { cap: 300 } } });
    try {
      const ran = await home.run(repository.folder, ['pack', 'docs']);
      expect(ran.exit).toBe(2);
      expect(ran.stdout).toBe('');
      expect(ran.stderr).toContain('refused (OVER_CAP): ');
      expect(home.rows()).toMatchObject([
        { event: 'refused', verb: 'pack', code: 'OVER_CAP', kind: 'source_question' },
      ]);
    } finally {
      home.writeMachine({});
    }
  });

  it.each([
    [['nosuch.txt'], 'INPUT_MISSING'],
    [['../outside'], 'INPUT_MISSING'],
    [['--kind', 'source_question'], 'INPUT_MISSING'],
    [['--kind', 'reading'], 'USAGE'],
    [['--kind', 'chnge_review'], 'USAGE'],
    [['--kind', 'change_review', 'README.md'], 'USAGE'],
    [['--range', 'HEAD~1..HEAD', 'README.md'], 'USAGE'],
    [['--range', 'HEAD..HEAD'], 'NO_RANGE'],
    [['--output', '-', '--json'], 'USAGE'],
  ])('refuses %j as %s', async (words, code) => {
    const ran = await home.run(repository.folder, ['pack', ...words]);
    expect(ran.exit).toBe(2);
    expect(ran.stdout + ran.stderr).toMatch(new RegExp(`refused \\(${code}\\): |"code":"${code}"`));
  });
});
