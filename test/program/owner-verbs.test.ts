/** The writers of the machine file from outside: each with its view and its way back, and speaking of what was typed. */
import { readFileSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

const SETTINGS = { theirs: { x: [1] }, oracle: { roles: {} } };
const TOKEN = expandExample('{github:ghp}', 'owner-verbs');

let home: ProgramHome;
let repository: MadeRepository;
let root: string;

beforeEach(() => {
  home = makeProgramHome(SETTINGS);
  repository = makeRepository();
  root = repository.commit('first', { 'a.txt': `key = ${TOKEN}\n` });
});
afterEach(() => {
  home.remove();
  repository.close();
});

const run = async (...words: readonly string[]): Promise<string> => {
  const ran = await home.run(repository.folder, words);
  const stderr = ran.stderr.replace(/^coldseal: HOME is .*\n/m, '').replaceAll(home.machineFile, 'FILE');
  return `${ran.exit} ${ran.stdout}${stderr}`;
};
const runJson = async (...words: readonly string[]): Promise<unknown> =>
  JSON.parse((await home.run(repository.folder, [...words, '--json'])).stdout);
const machine = (): unknown => JSON.parse(readFileSync(home.machineFile, 'utf8'));

describe('what the owner’s verbs wrote can be seen and taken back', () => {
  it('a cap', async () => {
    const key = `oracle.bundles.projects.${root}.cap`;
    expect(await run('cap')).toBe(`0 4.0 MiB, 4,194,304 bytes (default; ${key})\n`);
    expect(await run('cap', '8MiB')).toBe(
      `0 coldseal: changed FILE\ncoldseal: the cap in force here is 8.0 MiB, 8,388,608 bytes (machine; ${key})\n`,
    );
    expect(await runJson('cap', '9MiB', '--project')).toMatchObject({
      changed: true,
      cap: { bytes: 9 * 1024 * 1024, origin: 'project', key },
    });
    expect(await run('cap', '8MiB')).toBe(
      `0 coldseal: nothing to change in FILE\ncoldseal: the cap in force here is 9.0 MiB, 9,437,184 bytes (project; ${key})\n`,
    );
    expect(await run('cap', '8MiB', '-q')).toBe('0 ');
    expect(await runJson('cap')).toEqual({ bytes: 9 * 1024 * 1024, origin: 'project', key });
    expect(await run('cap', '--unset', '--project')).toMatch(
      /^0 coldseal: changed FILE\ncoldseal: the cap in force here is 8\.0 MiB, /,
    );
    expect(await runJson('cap')).toEqual({ bytes: 8 * 1024 * 1024, origin: 'machine', key });
    await run('cap', '--unset');
    expect(machine()).toEqual(SETTINGS);
    expect(statSync(home.machineFile).mode & 0o777).toBe(0o600);
    expect(await run('cap', '--unset')).toMatch(
      /^0 coldseal: nothing to change in FILE\ncoldseal: the cap .* 4\.0 MiB/,
    );
    expect(await run('cap', '1MiB', '--unset')).toMatch(/^2 refused \(USAGE\): cap takes SIZE or --unset/);
  });

  it('a cap outside a repository is the machine’s', async () => {
    const folder = makeTestFolder();
    const shown = await home.run(folder, ['cap', '--json']);
    expect(JSON.parse(shown.stdout)).toEqual({ bytes: 4194304, origin: 'default', key: 'oracle.bundles.cap' });
    expect((await home.run(folder, ['cap', '--project'])).stderr).toContain('refused (NOT_A_REPOSITORY)');
  });

  it('a list', async () => {
    expect(await run('list', 'set', 'change_review', 'diff', 'path:docs/*.md')).toBe(
      '0 coldseal: changed FILE\ncoldseal: change_review carries here (owner): diff, path:docs/*.md\n',
    );
    expect(await runJson('list', 'show', 'change_review')).toEqual({
      project: root,
      lists: { change_review: { origin: 'owner', entries: ['diff', 'path:docs/*.md'] } },
    });
    expect(await run('list', 'show')).toMatch(/^change_review +owner +diff, path:docs\/\*\.md$/m);
    expect(await run('list', 'unset', 'change_review')).toBe(
      '0 coldseal: changed FILE\ncoldseal: change_review carries here (compiled): diff, changed_files\n',
    );
    expect(await run('list', 'show', 'change_review')).toMatch(/^change_review +compiled +diff, changed_files$/m);
    expect(machine()).toEqual(SETTINGS);
    expect(await run('list', 'unset', 'change_revue')).toMatch(
      /^2 refused \(USAGE\): there is no kind change_revue; did you mean change_review\? `coldseal kinds` lists all of them/,
    );
  });

  it('withheld globs, of the project and of the machine', async () => {
    await run('withhold', 'add', '*.lock');
    expect(await run('withhold', 'add', 'big/**', '--machine')).toMatch(
      /^0 coldseal: changed FILE\ncoldseal: withheld here: \*\.lock \(this project\), big\/\*\* \(this machine\), \d+ globs compiled in\n$/,
    );
    expect(await runJson('withhold', 'list')).toMatchObject({
      project: ['*.lock'],
      machine: ['big/**'],
      compiled: expect.arrayContaining(['.env*', '*.pem']),
      except: ['.env.example'],
    });
    const shown = await run('withhold', 'list');
    expect(shown).toMatch(/^\*\.lock +this project$/m);
    expect(shown).toMatch(/^big\/\*\* +this machine$/m);
    expect(shown).toMatch(/^\.env\.example +compiled in: not withheld$/m);
    expect(await run('withhold', 'remove', 'big/**')).toMatch(/^2 refused \(USAGE\): .*add --machine; /);
    expect(await run('withhold', 'remove', '*.locks')).toMatch(
      /^2 refused \(USAGE\): .*did you mean \*\.lock\? `coldseal withhold list` /,
    );
    expect(await run('withhold', 'remove', '*.pem')).toMatch(/^2 refused \(USAGE\): /);
    expect(await run('withhold', 'remove', '*.lock')).toMatch(
      /^0 coldseal: changed FILE\ncoldseal: withheld here: big\/\*\* \(this machine\), /,
    );
    expect(await runJson('withhold', 'remove', 'big/**', '--machine')).toMatchObject({
      changed: true,
      withhold: { project: [], machine: [] },
    });
    expect(machine()).toEqual(SETTINGS);
  });

  it('an allowed fingerprint, which then lets the value through until it is removed', async () => {
    const scan = async (): Promise<readonly { Fingerprint: string }[]> =>
      JSON.parse((await home.run(repository.folder, ['scan', '--format', 'json'])).stdout);
    expect(await run('allow', 'list')).toMatch(/^0 coldseal: no finding is allowed/);
    const early = await run('allow', 'add', `fp-${'a'.repeat(40)}`, '--reason', 'x');
    expect(early).toMatch(/^2 refused \(USAGE\): this machine has no fingerprint key yet/);
    const [found] = await scan();
    const print = found?.Fingerprint ?? '';
    expect(await run('allow', 'add', 'fp-12', '--reason', 'x')).toMatch(/^2 refused \(USAGE\): FINGERPRINT is /);
    expect(await run('allow', 'add', print, '--reason', '')).toMatch(/^2 refused \(USAGE\): --reason has 0 bytes/);
    expect(await run('allow', 'add', print, '--reason', 'made up')).toBe('0 coldseal: changed FILE\n');
    expect(await run('allow', 'add', print, '--reason', 'made up here')).toBe('0 coldseal: changed FILE\n');
    expect(await runJson('allow', 'list')).toEqual({ allow: [{ fingerprint: print, reason: 'made up here' }] });
    expect(await scan()).toEqual([]);
    const near = print.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await run('allow', 'remove', near)).toContain(`did you mean ${print}?`);
    expect(await run('allow', 'remove', print)).toBe('0 coldseal: changed FILE\n');
    expect(await scan()).toHaveLength(1);
    expect(machine()).toEqual({ ...SETTINGS, coldseal: {} });
  });
});

describe('an argument that does not fit', () => {
  const url = ['--base-url', 'https://a.example/v1', '--model', 'm'];
  it.each<[what: string, words: readonly string[], said: string]>([
    ['a size', ['cap', '8'.repeat(13)], 'SIZE must be a whole number of bytes'],
    ['a size over the limit', ['cap', '1GiB'], 'SIZE is 1073741824 bytes; it must be from 1 to 268435456 bytes'],
    ['an entry', ['list', 'set', 'change_review', 'request'], 'ENTRY is "request"; change_review takes "diff"'],
    ['a glob', ['withhold', 'add', '../x'], 'GLOB holds ".."'],
    ['a URL', ['init', '--base-url', 'ftp://a.example', '--model', 'm'], '--base-url '],
    ['a model', ['init', '--base-url', 'https://a.example/v1', '--model', 'a b'], '--model must be a model id'],
    ['a provider', ['init', ...url, '--provider', 'A B'], '--provider: the name is not a provider name'],
    ['a key’s variable', ['init', ...url, '--key-env', 'A-B'], '--key-env '],
  ])('is named as it was typed and not by a line of the machine file: %s', async (_what, words, said) => {
    const ran = await run(...words);
    expect(ran).toContain(`2 refused (USAGE): ${said}`);
    expect(ran).not.toMatch(/FILE|config\.json|oracle\./);
    expect(ran.trimEnd().split('\n')).toHaveLength(1);
    expect(machine()).toEqual(SETTINGS);
  });
});

describe('init without flags', () => {
  const answer = (input: string, ...words: readonly string[]) =>
    home.run(repository.folder, ['init', ...words], { input });

  it('asks for what is missing, one line each, and writes the same file as the flags', async () => {
    const asked = await answer('https://a.example/v1\n m-1 \nA_KEY\n');
    expect([asked.exit, asked.stdout]).toEqual([0, '']);
    expect(asked.stderr).toMatch(/The endpoint.*:\nThe model:\nThe environment variable .*:\ncoldseal: changed /);
    const written = machine();
    await run('init', '--base-url', 'https://a.example/v1', '--model', 'm-1', '--key-env', 'A_KEY');
    expect(machine()).toEqual(written);
    expect(written).toMatchObject({ coldseal: { credentials: { default: { env: 'A_KEY' } } } });
  });

  it('asks nothing that a flag says, and takes an empty key as none', async () => {
    const asked = await answer('m-1\n\n', '--base-url', 'https://a.example/v1');
    expect(asked.exit).toBe(0);
    expect(asked.stderr).not.toContain('The endpoint');
    expect(machine()).not.toHaveProperty('coldseal');
  });

  it('says what to do next, where a person reads it', async () => {
    const url = ['--base-url', 'https://a.example/v1', '--model', 'm-1', '--provider', 'mine'];
    expect((await answer('', ...url)).stderr).toMatch(/`coldseal providers test mine`.*\n.*`coldseal review --plan`/);
    expect((await answer('', ...url, '-q')).stderr).toBe('');
    const { stdout, stderr } = await answer('', ...url, '--json');
    expect([JSON.parse(stdout), stderr]).toMatchObject([{ changed: false }, '']);
  });

  it('says which answer did not come', async () => {
    const asked = await answer('https://a.example/v1\n');
    expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('refused (USAGE): --model is missing')]);
    expect(machine()).toEqual(SETTINGS);
  });
});
