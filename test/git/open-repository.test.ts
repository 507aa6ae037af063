import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Repository } from '../../src/contract/repository.js';
import { openRepository } from '../../src/git/open-repository.js';
import { gitTestEnvironment, type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';

let made: MadeRepository;
let temporary: string;
let opened: Repository[];

const uid = process.getuid?.() ?? 0;
const open = async (folder = made.folder): Promise<Repository> => {
  const environment = { ...gitTestEnvironment(), TMPDIR: temporary };
  const repository = await openRepository(folder, { environment, uid, signal: new AbortController().signal });
  opened.push(repository);
  return repository;
};

beforeEach(() => {
  made = makeRepository();
  temporary = makeTestFolder();
  opened = [];
});

afterEach(async () => {
  for (const repository of opened) await repository.close();
  expect(readdirSync(temporary)).toEqual([]);
  made.close();
});

test('A commit, its parent, its changes and its blobs are read as objects.', async () => {
  const first = made.commit('first', { 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
  const second = made.commit('second', { 'a.txt': 'three\n' });
  const repository = await open();
  expect(await repository.head()).toBe(second);
  expect(await repository.resolveCommit('HEAD~1')).toBe(first);
  expect(await repository.resolveCommit('no-such-name')).toBeNull();
  expect(await repository.firstParent(second)).toBe(first);
  expect(await repository.firstParent(first)).toBeNull();
  expect(await repository.mergeBase(first, second)).toBe(first);
  expect(await repository.countCommits(first, second)).toBe(1);
  expect(await repository.countCommits(repository.emptyTree, second)).toBe(2);
  expect(await repository.rootCommits(second)).toEqual([first]);
  expect(await repository.defaultBranch()).toEqual({ name: 'main', commit: second });
  const changes = await repository.changes(first, second);
  expect(changes.map(({ status, path }) => [status, Buffer.from(path).toString()])).toEqual([['M', 'a.txt']]);
  const tree = await repository.listTree(second, () => true);
  const ids = tree.map((entry) => entry.objectId);
  const sizes = await repository.blobSizes(ids);
  expect(sizes).toEqual([6, 4]);
  const reads = ids.map((objectId, at) => ({ objectId, size: sizes[at] ?? 0, target: new Uint8Array(sizes[at] ?? 0) }));
  const texts: string[] = [];
  for await (const read of repository.readBlobs(reads, new AbortController().signal)) {
    texts.push(Buffer.from(read.target).toString());
  }
  expect(texts).toEqual(['three\n', 'two\n']);
  expect(existsSync(temporary)).toBe(true);
});
