/** The built program's words, streams and exit codes, where no send is involved. */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { CODES } from '../../src/contract/codes.js';
import { VERSION } from '../../src/contract/version.js';
import { makeTestFolder } from '../support/make-repository.js';
import { programFile, projectFolder, runColdseal } from '../support/run-coldseal.js';

let home: string;
beforeAll(() => {
  home = makeTestFolder();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (...words: string[]) => runColdseal(words, { home, folder: home });

describe('The program', () => {
  it('prints the version alone, the package’s own', async () => {
    expect(packageFile.version).toBe(VERSION);
    for (const flag of ['--version', '-V']) {
      expect(await run(flag)).toMatchObject({ exit: 0, stdout: `${VERSION}\n`, stderr: '' });
    }
  });

  it.each([
    [['reviw'], "unknown command 'reviw'; did you mean review?; see `coldseal --help`"],
    [['scna'], "unknown command 'scna'; did you mean scan?"],
    [['plan'], "unknown command 'plan'; did you mean review --plan or "],
    [['verify'], "unknown command 'verify'; did you mean records verify?"],
    [['version'], "unknown command 'version'; did you mean --version?"],
    [['detect'], "unknown command 'detect'; did you mean scan?"],
    [['frobnicate'], "unknown command 'frobnicate'; see `coldseal --help`"],
    [['allow', 'add'], 'see `coldseal allow add --help`'],
    [['-C', 'scan', 'explain', 'a', 'b'], 'put words that belong together in quotes; see `coldseal explain --help`'],
    [['ask', 'what', 'is', 'this'], "too many arguments for 'ask': expected 1 argument but got 3; put "],
    [['scan', '--format', 'josn'], '--format josn is none; did you mean json? it takes text, json, sarif or html'],
    [['scan', '--format', 'pdf'], '--format pdf is none; it takes text, json, sarif or html'],
    [['records', 'list', '--limit', 'x'], 'to 9999999, not x'],
    [['review', '--plann'], "unknown option '--plann'; did you mean --plan?"],
    [['records', 'lst'], "unknown command 'lst'; did you mean list?"],
    [['explain', 'OVERCAP'], 'did you mean OVER_CAP?'],
    [['rules', 'explain', 'github-pt'], 'did you mean github-pat'],
    [['completion', 'bsh'], 'there is no completion for bsh; did you mean bash?'],
    [['completion', 'powershell'], 'there is no completion for powershell; completion knows bash, zsh and fish'],
    [['records', 'show', 'x'], 'is no record id'],
    [['release', 'changelog'], '--from'],
  ])('refuses %j as misused, naming what was meant', async (words, meant) => {
    const text = await run(...words);
    expect(text.exit).toBe(2);
    expect(text.stdout).toBe('');
    expect(text.stderr).toMatch(/^refused \(USAGE\): /);
    expect(text.stderr).toContain(meant);
    const json = await run(...words, '--json');
    expect(json.exit).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'refused', code: 'USAGE' });
    expect(json.stderr).toBe('');
  });

  it('says outside a repository that there is none, and with -C looks there', async () => {
    for (const words of [['review'], ['-C', home, 'review'], ['review', '-C', home]]) {
      const { exit, stderr } = await run(...words);
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^refused \(NOT_A_REPOSITORY\): /m);
    }
  });

  it('explains every code with its exit code and way out', async () => {
    const all = JSON.parse((await run('explain', '--json')).stdout) as { codes: { code: string; exit: number }[] };
    expect(all.codes.map(({ code }) => code).sort()).toEqual(Object.keys(CODES).sort());
    const one = await run('explain', 'over_cap');
    expect(one.stdout).toContain('OVER_CAP (refused, exit 2)');
    expect(one.stdout).toContain(CODES.OVER_CAP.wayOut);
  });

  it('answers --json with one document, or refuses it where a script or rows are written', async () => {
    const families = JSON.parse((await run('metrics', '--json')).stdout) as { name: string; samples: object[] }[];
    expect(families.map(({ name }) => name)).toContain('coldseal_bundles_total');
    expect(JSON.parse((await run('config', 'path', '--json')).stdout)).toEqual({
      machine_file: join(home, '.abcd.noindex', 'config.json'),
    });
    for (const words of [
      ['completion', 'bash', '--json'],
      ['records', 'export', '--json'],
    ]) {
      const ran = await run(...words);
      expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([2, { outcome: 'refused', code: 'USAGE' }]);
    }
  });

  it('has --help with an example on every verb', async () => {
    const verbs = (await run('completion', 'bash')).stdout.matchAll(/^ {6}'([a-z ]*)'\) choices/gm);
    const paths = [...verbs].map(([, path]) => (path ?? '').split(' ').filter(Boolean));
    expect(paths.length).toBeGreaterThan(25);
    for (const path of paths) {
      const { exit, stdout, stderr } = await run(...path, '--help');
      expect([path, exit, stderr]).toEqual([path, 0, '']);
      expect(stdout).toMatch(/Example:\n {2}.*coldseal /);
    }
  }, 120_000);

  it.each(['bash', 'zsh', 'fish'])('prints a completion script for %s that names the verbs', async (shell) => {
    const { exit, stdout } = await run('completion', shell);
    expect(exit).toBe(0);
    for (const verb of ['review', 'records', 'sandbox']) expect(stdout).toContain(verb);
    if (shell === 'bash') {
      const script = `${stdout}\nCOMP_WORDS=(coldseal records ve); COMP_CWORD=2; _coldseal; echo "\${COMPREPLY[*]}"`;
      expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe('verify\n');
    }
  });

  it('is linked where a clone’s programs are looked for', () => {
    const link = join(projectFolder, 'node_modules/.bin/coldseal');
    const done = spawnSync(link, ['--version'], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });
    expect(done.stdout).toBe(`${VERSION}\n`);
  });

  it('ends quietly when its reader closes stdout', () => {
    const done = spawnSync(
      'bash',
      ['-c', `set -o pipefail; "${process.execPath}" "${programFile}" rules list -q | head -1 >/dev/null`],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', HOME: home },
      },
    );
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
  });

  it('prints the help of a group of verbs that is called without one', async () => {
    for (const words of [[], ['records'], ['config'], ['withhold']]) {
      const { exit, stdout, stderr } = await run(...words);
      expect([exit, stderr]).toEqual([0, '']);
      expect(stdout).toContain('Usage: coldseal');
    }
  });

  it('says that stdout failed instead of dying of it', () => {
    const command = `"${process.execPath}" "${programFile}" rules list -q > /dev/full`;
    const environment = { PATH: process.env['PATH'] ?? '', HOME: home };
    const done = spawnSync('bash', ['-c', command], { encoding: 'utf8', env: environment });
    expect(done.stderr).toMatch(/^failed \(INTERNAL\): stdout could not be written to its end: ENOSPC\n$/);
    expect(done.status).toBe(1);
  });

  it.each([
    ['a folder for bodies that is not there', ['sandbox', '--keep-bodies', 'none'], 'make it first'],
    ['a script that is not there', ['sandbox', '--script', 'none'], '--script'],
    [
      'an output that cannot be written',
      ['review', '--output', 'none/answer.md'],
      '/none/answer.md, cannot be written',
    ],
  ])('refuses %s before anything happens', async (_name, words, meant) => {
    const { exit, stderr } = await run(...words);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^refused \(USAGE\): /);
    expect(stderr).toContain(meant);
  });
});
