/** The layer check itself: it passes this project, finds a planted breach, and fails when it looked at nothing. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestFolder } from '../support/make-repository.js';
import { projectFolder } from '../support/run-coldseal.js';

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (...words: string[]) => {
  const tool = join(projectFolder, 'config/tools/check-layers.mjs');
  const done = spawnSync(process.execPath, [tool, ...words], { encoding: 'utf8', cwd: projectFolder });
  return { exit: done.status, text: done.stdout + done.stderr };
};

const plant = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};

const SOUND = {
  'src/contract/item.ts': 'export const item = 1;\n',
  'src/git/read.ts': "import { item } from '../contract/item.js';\nexport const read = item;\n",
  'workers/scan.ts': "import { item } from '../src/contract/item.js';\nexport default item;\n",
};

describe('The layer check', () => {
  it('passes a tree that keeps the layers', () => {
    plant(SOUND);
    expect(check('--root', folder, '--fewest', '3')).toMatchObject({ exit: 0 });
  });

  it('fails a tree in which it inspected too little', () => {
    plant({ 'src/contract/none.md': '', 'workers/none.md': '' });
    const { exit, text } = check('--root', folder, '--fewest', '3');
    expect(exit).not.toBe(0);
    expect(text).toContain('inspected 0 modules');
  });

  it.each([
    [
      'the contract imports a stage',
      { 'src/contract/bad.ts': "import { read } from '../git/read.js';\nexport const bad = read;\n" },
    ],
    [
      'a stage imports another stage',
      { 'src/plan/bad.ts': "import { read } from '../git/read.js';\nexport const bad = read;\n" },
    ],
    [
      'the thread imports what is not its own',
      { 'workers/scan.ts': "import { read } from '../src/git/read.js';\nexport default read;\n" },
    ],
    [
      'a source imports the thread',
      { 'src/git/bad.ts': "import scan from '../../workers/scan.js';\nexport const bad = scan;\n" },
    ],
    [
      'a type alone crosses a layer',
      { 'src/plan/bad.ts': "import type { read } from '../git/read.js';\nexport type Bad = typeof read;\n" },
    ],
    [
      'a folder stands outside the layers',
      { 'src/shared/bad.ts': "import { item } from '../contract/item.js';\nexport const bad = item;\n" },
    ],
    ['an import leads nowhere', { 'src/git/bad.ts': "import { none } from './none.js';\nexport const bad = none;\n" }],
    ['the environment is read outside config', { 'src/git/bad.ts': 'export const home = process.env.HOME;\n' }],
  ])('fails when %s', (_name, files: Record<string, string>) => {
    plant({ ...SOUND, ...files });
    const { exit, text } = check('--root', folder, '--fewest', '3');
    expect(text).toMatch(/: [1-9]\d* breaches|\d+ modules, [1-9]/);
    expect(exit).toBe(1);
  });
});
