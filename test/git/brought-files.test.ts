import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

const made: MadeRepository[] = [];
let opener: TestOpener;
beforeEach(() => {
  opener = makeOpener();
});
const newRepository = (): MadeRepository => {
  const repository = makeRepository();
  made.push(repository);
  return repository;
};
afterEach(async () => {
  await opener.close();
  for (const repository of made.splice(0)) repository.close();
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

describe('what commits bring', () => {
  test('lists each commit with the files that no parent has, and what stood there before', async () => {
    const repo = newRepository();
    const first = repo.commit('first', { 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const second = repo.commit('second', { 'a.txt': 'two\n' });
    const opened = await opener.open(repo.folder);
    const [root, next] = await opened.commitFiles([first, second]);
    expect(root?.files.map(({ path, before }) => [text(path), before])).toEqual([
      ['a.txt', []],
      ['b.txt', []],
    ]);
    expect(next?.commit).toBe(second);
    expect(next?.files.map(({ path, before }) => [text(path), before])).toEqual([
      ['a.txt', [repo.git(['rev-parse', `${first}:a.txt`])]],
    ]);
    expect(await opened.commitFacts(second)).toEqual({
      author: 'Ada Example',
      email: 'ada@example.org',
      date: '2024-01-02T03:04:05Z',
    });
  });

  test('lists of a merge only what differs from all its parents', async () => {
    const repo = newRepository();
    const base = repo.commit('base', { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    repo.git(['checkout', '--quiet', '-b', 'side']);
    repo.commit('side', { 'a.txt': 'side\n' });
    repo.git(['checkout', '--quiet', 'main']);
    const main = repo.commit('main', { 'b.txt': 'main\n' });
    repo.git(['merge', '--quiet', '--no-commit', 'side']);
    const merge = repo.commit('merge', { 'b.txt': 'evil\n' });
    const opened = await opener.open(repo.folder);
    const [files] = await opened.commitFiles([merge]);
    expect(files?.files.map(({ path, before }) => [text(path), before.length])).toEqual([['b.txt', 2]]);
    const commits = await opened.listCommits(base, merge);
    expect(commits).toHaveLength(3);
    expect(commits.at(-1)).toBe(merge);
    expect(commits).toContain(main);
    expect(await opened.listCommits(null, base)).toEqual([base]);
  });

  test('lists what is staged, in a repository with and without a commit', async () => {
    const repo = newRepository();
    repo.write('first.txt', 'one\n');
    repo.git(['add', 'first.txt']);
    const opened = await opener.open(repo.folder);
    expect((await opened.stagedFiles()).map(({ path }) => text(path))).toEqual(['first.txt']);
    repo.commit('first');
    expect(await opened.stagedFiles()).toEqual([]);
    repo.write('first.txt', 'two\n');
    repo.write('unstaged.txt', 'no\n');
    repo.git(['add', 'first.txt']);
    expect((await opened.stagedFiles()).map(({ path, before }) => [text(path), before.length])).toEqual([
      ['first.txt', 1],
    ]);
  });
});

describe('the files of a work tree', () => {
  test('are the tracked and the untracked that are not ignored, by bytes, each once', async () => {
    const repo = newRepository();
    repo.commit('first', { 'b/x.txt': 'x\n', 'b.txt': 'b\n', '.gitignore': 'ignored*\n', 'gone.txt': 'gone\n' });
    repo.write('ignored.log', 'no\n');
    repo.write('new é.txt', 'yes\n');
    repo.remove('gone.txt');
    const opened = await opener.open(repo.folder);
    const paths = (await opened.listWorkTree([])).map(text);
    expect(paths).toEqual(['.gitignore', 'b.txt', 'b/x.txt', 'gone.txt', 'new é.txt']);
    expect((await opened.listWorkTree(['b'])).map(text)).toEqual(['b/x.txt']);
    expect(await opened.listWorkTree(['ignored.log'])).toEqual([]);
  });
});
