import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveRange } from '../../src/plan/resolve-range.js';
import { type MadeRepository, makeRepository, makeTestFolder, runTestGit } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

let made: MadeRepository;
let opener: TestOpener;
let main: string;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
  main = made.commit('first', { 'a.txt': 'one\n' });
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const rangeOf = async (
  typed: string | null,
  kind: 'change_review' | 'intent_audit' | 'source_question' = 'change_review',
) => resolveRange({ repository: await opener.open(made.folder), typed, kind });

const branchOff = (): readonly [string, string] => {
  made.git(['checkout', '-q', '-b', 'side']);
  const side = made.commit('side', { 'b.txt': 'b\n' });
  made.git(['checkout', '-q', 'main']);
  const ahead = made.commit('ahead', { 'a.txt': 'two\n' });
  made.git(['checkout', '-q', 'side']);
  return [side, ahead];
};

test('A range starts where the two parted.', async () => {
  const [side] = branchOff();
  for (const typed of ['main..side', 'main..', 'main..HEAD']) {
    expect(await rangeOf(typed)).toEqual({ base: main, head: side });
  }
});

test('Without words it is the branch beyond the default branch.', async () => {
  const [side] = branchOff();
  expect(await rangeOf(null)).toEqual({ base: main, head: side });
  expect(await rangeOf(null, 'intent_audit')).toEqual({ base: main, head: side });
});

test('On the default branch a review takes the last commit and an audit refuses.', async () => {
  const second = made.commit('second');
  expect(await rangeOf(null)).toEqual({ base: main, head: second });
  await expect(rangeOf(null, 'intent_audit')).rejects.toMatchObject({
    code: 'NO_RANGE',
    message: expect.stringMatching(/no commit beyond the default branch main.*--route intent-auditor=host-decides/),
  });
});

test('A repository with one commit is compared with the empty tree.', async () => {
  expect(await rangeOf(null)).toEqual({ base: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', head: main });
});

test('Without a default branch a review takes the last commit and an audit says what was looked for.', async () => {
  made.git(['branch', '-m', 'trunk']);
  expect((await rangeOf(null))?.head).toBe(main);
  await expect(rangeOf(null, 'intent_audit')).rejects.toThrow(/origin\/HEAD, main or master/);
});

test('A merge commit is reviewed against its first parent.', async () => {
  const [, ahead] = branchOff();
  made.git(['checkout', '-q', 'main']);
  made.git(['merge', '-q', '--no-ff', '-m', 'merge', 'side']);
  expect((await rangeOf(null))?.base).toBe(ahead);
});

describe('What is no range', () => {
  test.each(['', 'HEAD', 'main...side', '..', 'a..b..c', '-x'])('%j is refused as USAGE.', async (typed) => {
    await expect(rangeOf(typed)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test.each(['nowhere..HEAD', 'HEAD..nowhere', '--all..HEAD', 'HEAD..HEAD', 'HEAD..HEAD~1', 'HEAD^{tree}..HEAD'])(
    '%j names no commits and is NO_RANGE.',
    async (typed) => {
      branchOff();
      await expect(rangeOf(typed)).rejects.toMatchObject({ code: 'NO_RANGE' });
    },
  );

  test('Two histories without a common commit have no range.', async () => {
    made.git(['checkout', '-q', '--orphan', 'other']);
    made.commit('another root');
    await expect(rangeOf('main..other')).rejects.toMatchObject({ code: 'NO_RANGE' });
    await expect(rangeOf(null)).rejects.toMatchObject({ code: 'NO_RANGE' });
  });

  test('A kind that reads no range takes none.', async () => {
    expect(await rangeOf(null, 'source_question')).toBeNull();
    await expect(rangeOf('HEAD~1..HEAD', 'source_question')).rejects.toMatchObject({ code: 'USAGE' });
  });
});

test('In a shallow clone the last commit’s parent is not there, and the way to it is told.', async () => {
  made.commit('second', { 'a.txt': 'two\n' });
  const folder = makeTestFolder();
  try {
    runTestGit(folder, ['clone', '-q', '--depth', '1', `file://${made.folder}`, 'shallow']);
    const repository = await opener.open(join(folder, 'shallow'));
    const told = expect.stringContaining('git fetch --unshallow');
    await expect(resolveRange({ repository, typed: null, kind: 'change_review' })).rejects.toMatchObject({
      code: 'ITEM_UNREADABLE',
      message: told,
    });
    await expect(resolveRange({ repository, typed: `${main}..`, kind: 'change_review' })).rejects.toMatchObject({
      code: 'NO_RANGE',
      message: told,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
