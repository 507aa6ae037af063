import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  gitTestEnvironment,
  type MadeRepository,
  makeRepository,
  makeTestFolder,
  runTestGit,
  wrapRepository,
} from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { type PlantedProgram, plantProgram } from '../support/plant-program.js';
import { readPlan } from '../support/read-plan.js';

let made: MadeRepository;
let outside: string;
let planted: PlantedProgram;
let opener: TestOpener;

beforeEach(() => {
  made = makeRepository();
  outside = makeTestFolder();
  planted = plantProgram(outside);
  opener = makeOpener();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
  rmSync(outside, { recursive: true, force: true });
});

const commitChange = (into: MadeRepository = made): void => {
  const numbers = Array.from({ length: 60 }, (_, at) => `line ${at}\n`);
  into.commit('first', { '.gitattributes': 'plain\n', 'code.js': numbers.join(''), 'text.txt': 'one\n\ntwo\n' });
  numbers.splice(5, 1, 'changed five\n');
  numbers.splice(20, 1, 'changed twenty\n');
  numbers.splice(29, 1, 'changed twenty-nine\n');
  into.commit('second', { 'code.js': numbers.join(''), 'text.txt': 'one\n\nthree\n' });
};

/** Settings that make git run a program, each one seen to run it in `control`. */
const plantEverything = (): void => {
  const set = (name: string, value: string) => made.git(['config', name, value]);
  set('diff.external', planted.path);
  set('diff.planted.textconv', planted.path);
  set('diff.planted.command', planted.path);
  set('filter.planted.clean', planted.path);
  set('filter.planted.smudge', planted.path);
  set('filter.planted.process', planted.path);
  set('filter.planted.required', 'true');
  set('core.fsmonitor', planted.path);
  set('core.hooksPath', join(outside, 'hooks'));
  set('core.pager', planted.path);
  set('core.sshCommand', planted.path);
  set('core.editor', planted.path);
  set('core.askPass', planted.path);
  set('core.gitProxy', planted.path);
  set('core.alternateRefsCommand', planted.path);
  set('credential.helper', `!${planted.path}`);
  set('gpg.program', planted.path);
  set('pager.diff-tree', planted.path);
  set('interactive.diffFilter', planted.path);
  set('uploadpack.packObjectsHook', planted.path);
  mkdirSync(join(outside, 'hooks'));
  for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction', 'pre-auto-gc']) {
    symlinkSync(planted.path, join(outside, 'hooks', hook));
  }
  made.write('.git/info/attributes', '* diff=planted filter=planted\n');
};

test('No program that a checkout names is run, and the bundle is the same as without it.', async () => {
  commitChange();
  const before = await readPlan(await opener.open(made.folder));
  plantEverything();
  expect(() => made.git(['-c', 'core.pager=cat', 'diff', 'HEAD~1', 'HEAD'])).toThrow();
  expect(planted.hasRun()).toBe(true);
  planted.forget();
  const repository = await opener.open(made.folder, {
    environment: {
      ...gitTestEnvironment(),
      TMPDIR: outside,
      GIT_EXTERNAL_DIFF: planted.path,
      GIT_PAGER: planted.path,
      GIT_SSH_COMMAND: planted.path,
      GIT_EXEC_PATH: outside,
      GIT_DIR: outside,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: planted.path,
    },
  });
  expect(await readPlan(repository)).toEqual(before);
  expect(await repository.isTracked('code.js')).toBe(true);
  expect(await repository.isTracked('no-such.js')).toBe(false);
  await repository.identity();
  await repository.resolveCommit('HEAD@{1}');
  await repository.resolveCommit(':code.js');
  expect(planted.hasRun()).toBe(false);
});

describe('A partial clone', () => {
  const partialClone = (filter: string): MadeRepository => {
    commitChange();
    made.git(['config', 'uploadpack.allowFilter', 'true']);
    const folder = join(outside, 'clone');
    runTestGit(outside, ['clone', '--quiet', '--no-checkout', `--filter=${filter}`, `file://${made.folder}`, folder]);
    const clone = wrapRepository(folder);
    clone.git(['config', 'remote.origin.uploadpack', planted.path]);
    planted.forget();
    return clone;
  };

  test('is never completed: a missing blob refuses, and the upload program of its settings is not run.', async () => {
    const clone = partialClone('blob:none');
    const repository = await opener.open(clone.folder);
    await expect(readPlan(repository)).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
    expect(planted.hasRun()).toBe(false);
    expect(() => clone.git(['cat-file', '-p', 'HEAD:code.js'])).toThrow();
    expect(planted.hasRun()).toBe(true);
  });

  test('resolves names without fetching the trees they would need.', async () => {
    const clone = partialClone('tree:0');
    const repository = await opener.open(clone.folder);
    expect(await repository.resolveCommit('HEAD~1')).toMatch(/^[0-9a-f]{40}$/);
    expect(await repository.resolveCommit('HEAD:code.js')).toBeNull();
    await expect(readPlan(repository)).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
    expect(await repository.isTracked('code.js')).toBe(false);
    expect(planted.hasRun()).toBe(false);
    expect(() => clone.git(['rev-parse', '--verify', 'HEAD:code.js'])).toThrow();
    expect(planted.hasRun()).toBe(true);
  });
});

const ODD_SETTINGS = [
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.orderFile', '/no/such/file'],
  ['diff.context', '0'],
  ['diff.interHunkContext', '50'],
  ['diff.algorithm', 'patience'],
  ['diff.renames', 'copies'],
  ['diff.submodule', 'log'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.suppressBlankEmpty', 'true'],
  ['diff.indentHeuristic', 'false'],
  ['diff.wordRegex', '.'],
  ['diff.wsErrorHighlight', 'all'],
  ['diff.dirstat', 'lines'],
  ['diff.relative', 'true'],
  ['color.ui', 'always'],
  ['color.diff', 'always'],
  ['core.quotePath', 'true'],
  ['core.abbrev', '4'],
  ['core.bigFileThreshold', '1'],
  ['core.whitespace', 'cr-at-eol'],
  ['core.autocrlf', 'true'],
  ['core.eol', 'crlf'],
  ['core.ignoreCase', 'true'],
  ['core.worktree', '/no/such/folder'],
  ['core.attributesFile', '/no/such/file'],
  ['i18n.logOutputEncoding', 'latin1'],
  ['log.showSignature', 'true'],
] as const;

describe('Odd settings of the repository', () => {
  let odd: MadeRepository;
  let before: Awaited<ReturnType<typeof readPlan>>;

  beforeAll(async () => {
    odd = makeRepository();
    commitChange(odd);
    const plain = makeOpener();
    before = await readPlan(await plain.open(odd.folder));
    await plain.close();
  });
  afterAll(() => odd.close());

  test.each(ODD_SETTINGS)('%s=%s changes nothing of the bundle.', async (name, value) => {
    odd.git(['config', name, value]);
    expect(await readPlan(await opener.open(odd.folder))).toEqual(before);
    runTestGit(outside, ['config', '--file', join(odd.folder, '.git/config'), '--unset', name]);
  });
});

test.each([
  '*.js -diff\n',
  '*.js binary\n',
  '* -text diff=java\n',
  '*.js working-tree-encoding=ISO-8859-1\n',
  '*.js ident export-subst eol=crlf\n',
])('The attributes %j are content and steer nothing, committed or not.', async (attributes) => {
  commitChange();
  const before = await readPlan(await opener.open(made.folder));
  const text = before[0]?.text;
  expect(text).toContain('\n+changed five\n');
  made.write('.git/info/attributes', attributes);
  expect((await readPlan(await opener.open(made.folder)))[0]?.text).toBe(text);
  rmSync(join(made.folder, '.git/info/attributes'));
  made.git(['checkout', '-q', '--orphan', 'attributed', 'HEAD~1']);
  made.commit('first', { '.gitattributes': attributes });
  made.git(['checkout', '-q', 'main', '--', 'code.js', 'text.txt']);
  made.commit('second');
  made.git(['branch', '-D', 'main']);
  expect((await readPlan(await opener.open(made.folder)))[0]?.text).toBe(text);
});

test('Replaced objects and grafts are not seen.', async () => {
  commitChange();
  const repository = await opener.open(made.folder);
  const before = await readPlan(repository);
  const head = made.git(['rev-parse', 'HEAD']);
  const blob = made.git(['rev-parse', 'HEAD:code.js']);
  const other = made.git(['hash-object', '-w', '--stdin'], 'something else\n');
  made.git(['replace', blob, other]);
  made.git(['replace', head, made.git(['commit-tree', '-m', 'another', `${head}^{tree}`])]);
  made.write('.git/info/grafts', `${head}\n`);
  expect(made.git(['cat-file', '-p', blob])).toBe('something else');
  const again = await opener.open(made.folder);
  expect(await readPlan(again)).toEqual(before);
  expect(await again.rootCommits(head)).toEqual(await repository.rootCommits(head));
});

test('A commit graph or pack index that lies is not asked.', async () => {
  commitChange();
  const before = await readPlan(await opener.open(made.folder));
  made.git(['repack', '-adq']);
  for (const file of ['info/commit-graph', 'pack/multi-pack-index']) {
    mkdirSync(join(made.folder, '.git/objects', file, '..'), { recursive: true });
    writeFileSync(join(made.folder, '.git/objects', file), 'no such format');
  }
  expect(await readPlan(await opener.open(made.folder))).toEqual(before);
});
