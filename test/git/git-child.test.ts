import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { lyingLoose } from '../support/hostile-shapes.js';
import { gitTestEnvironment, type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

let made: MadeRepository;
let opener: TestOpener;
let outside: string;

beforeEach(() => {
  made = makeRepository();
  made.commit('first', { 'a.txt': 'one\n' });
  made.commit('second', { 'a.txt': 'two\n', 'big.txt': 'line of text\n'.repeat(200_000) });
  opener = makeOpener();
  outside = makeTestFolder();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
  rmSync(outside, { recursive: true, force: true });
});

/** A `git` that is the real one but for the verb of the test. */
const environmentWith = (verb: string, script: string): Record<string, string> => {
  const environment = gitTestEnvironment();
  const folder = join(outside, 'bin');
  mkdirSync(folder);
  const real = environment['PATH'] ?? '';
  const lines = ['#!/bin/sh', `PATH='${real}'`, 'for word in "$@"; do', `  if [ "$word" = "${verb}" ]; then`];
  writeFileSync(join(folder, 'git'), [...lines, script, '  fi', 'done', 'exec git "$@"', ''].join('\n'));
  chmodSync(join(folder, 'git'), 0o755);
  return { ...environment, PATH: folder, TMPDIR: outside };
};

const range = async (repository: Awaited<ReturnType<TestOpener['open']>>) => {
  const head = (await repository.head()) ?? '';
  return [(await repository.firstParent(head)) ?? '', head] as const;
};

/** Short to wait for, and more than a git that does answer takes on a machine under load. */
const DEADLINE_MS = 10_000;

test('A git that gives nothing is stopped at its deadline.', async () => {
  const environment = environmentWith('ls-tree', 'exec sleep 1000');
  const repository = await opener.open(made.folder, { environment, deadlineMs: DEADLINE_MS });
  const [, head] = await range(repository);
  await expect(repository.listTree(head, () => true)).rejects.toMatchObject({
    code: 'GIT_FAILED',
    facts: { limit_ms: DEADLINE_MS },
  });
});

test('A loose object that holds less than its header says is waited for no longer, and gives no bytes.', async () => {
  const lying = lyingLoose(100_000, 10);
  try {
    const repository = await opener.open(lying.folder, { deadlineMs: DEADLINE_MS });
    const [entry] = await repository.listTree((await repository.head()) ?? '', () => true);
    const objectId = entry?.objectId ?? '';
    const [size] = await repository.blobSizes([objectId]);
    expect(size).toBe(100_000);
    const given: string[] = [];
    const read = async () => {
      const reads = [{ objectId, size: 100_000, target: Buffer.alloc(100_000) }];
      for await (const done of repository.readBlobs(reads, new AbortController().signal)) given.push(done.objectId);
    };
    await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:GIT_FAILED|ITEM_UNREADABLE)$/) });
    expect(given).toEqual([]);
  } finally {
    lying.close();
  }
});

test('A git that is killed is GIT_FAILED, and the next reading starts another.', async () => {
  const mark = join(outside, 'once');
  const script = `if [ ! -e '${mark}' ]; then : > '${mark}'; kill -9 $$; fi`;
  const repository = await opener.open(made.folder, { environment: environmentWith('cat-file', script) });
  const head = (await repository.head()) ?? '';
  await expect(repository.firstParent(head)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await repository.firstParent(head)).toMatch(/^[0-9a-f]{40}$/);
});

test('A diff that ends early, whole sections or not, is no diff.', async () => {
  const environment = environmentWith('-p', 'git "$@" | head -c 300; exit 0');
  const repository = await opener.open(made.folder, { environment });
  const [base, head] = await range(repository);
  const changes = await repository.changes(base, head);
  const read = async () => {
    for await (const section of repository.diff(base, head, changes, 1e9, new AbortController().signal)) void section;
  };
  await expect(read()).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

test('A diff over its bound stops git at once.', async () => {
  const repository = await opener.open(made.folder);
  const [base, head] = await range(repository);
  const changes = await repository.changes(base, head);
  const read = async () => {
    for await (const section of repository.diff(base, head, changes, 1000, new AbortController().signal)) void section;
  };
  await expect(read()).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE', facts: { limit_bytes: 1000 } });
});

test('Without git on the path the message says so; a relative folder of the path is not looked into.', async () => {
  writeFileSync(join(made.folder, 'git'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(made.folder, 'git'), 0o755);
  const environment = { PATH: '.::bin', TMPDIR: outside };
  await expect(opener.open(made.folder, { environment })).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: expect.stringContaining('not found on PATH'),
  });
});

test('An abort gives its own reason and ends every child.', async () => {
  const stop = new AbortController();
  const pids = join(outside, 'pids');
  const environment = environmentWith('diff-tree', `echo $$ >> '${pids}'; exec sleep 1000`);
  const repository = await opener.open(made.folder, { environment, signal: stop.signal });
  const head = (await repository.head()) ?? '';
  const waiting = repository.changes(repository.emptyTree, head);
  const reason = new ColdsealError('CANCELLED', 'The test ended the run.');
  while (readPids(pids).length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  for (const pid of readPids(pids)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await expect(repository.head()).rejects.toBe(reason);
});

const readPids = (file: string): readonly number[] => {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

test('Blobs that are not taken to the end do not confuse the next reading.', async () => {
  const repository = await opener.open(made.folder);
  const head = (await repository.head()) ?? '';
  const tree = await repository.listTree(head, () => true);
  const ids = tree.map(({ objectId }) => objectId);
  const sizes = await repository.blobSizes(ids);
  const readsOf = () =>
    ids.map((objectId, at) => ({ objectId, size: sizes[at] ?? 0, target: Buffer.alloc(sizes[at] ?? 0) }));
  for await (const first of repository.readBlobs(readsOf(), new AbortController().signal)) {
    expect(Buffer.from(first.target).toString()).toBe('two\n');
    break;
  }
  const both = await Promise.all(
    [0, 1, 2].map(async () => {
      const texts: number[] = [];
      for await (const read of repository.readBlobs(readsOf(), new AbortController().signal)) texts.push(read.size);
      return texts;
    }),
  );
  expect(both).toEqual([sizes, sizes, sizes]);
  await expect(repository.readBlob(ids[1] ?? '', 100)).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE' });
  expect(Buffer.from(await repository.readBlob(ids[0] ?? '', 100)).toString()).toBe('two\n');
});

test('A size that is not the object’s refuses, and something that is no blob does too.', async () => {
  const repository = await opener.open(made.folder);
  const head = (await repository.head()) ?? '';
  const [entry] = await repository.listTree(head, () => true);
  const read = async () => {
    const reads = [{ objectId: entry?.objectId ?? '', size: 3, target: Buffer.alloc(3) }];
    for await (const done of repository.readBlobs(reads, new AbortController().signal)) void done;
  };
  await expect(read()).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
  await expect(repository.blobSizes([head])).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
  await expect(repository.readBlob(head, 1000)).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
});

test('A git that does not know how to be asked both questions in one child is asked each in its own.', async () => {
  const script = `echo "error: unknown option" >&2; exit 129`;
  const repository = await opener.open(made.folder, { environment: environmentWith('--batch-command', script) });
  const [base, head] = await range(repository);
  const changed = await repository.changes(base, head);
  const ids = changed.map(({ newId }) => newId);
  const sizes = await repository.blobSizes(ids);
  expect(sizes).toEqual([4, 13 * 200_000]);
  const reads = ids.map((objectId, at) => ({ objectId, size: sizes[at] ?? 0, target: new Uint8Array(sizes[at] ?? 0) }));
  for await (const read of repository.readBlobs(reads, new AbortController().signal)) void read;
  expect(Buffer.from(reads[0]?.target ?? []).toString()).toBe('two\n');
  expect(Buffer.from(reads[1]?.target ?? []).toString()).toBe('line of text\n'.repeat(200_000));
});

test('What was begun ahead ends with the repository, asked for or not, and its fault is told to whoever asks.', async () => {
  const environment = environmentWith('for-each-ref', 'exec sleep 1000');
  const repository = await opener.open(made.folder, { environment });
  repository.lookAhead({ branch: true });
  const asked = repository.defaultBranch();
  const told = expect(asked).rejects.toMatchObject({ code: 'GIT_FAILED' });
  await repository.close();
  await told;
});

test('HEAD is the same for as long as a repository is open.', async () => {
  const repository = await opener.open(made.folder);
  const before = await repository.head();
  const after = made.commit('third', { 'a.txt': 'three\n' });
  expect(await repository.head()).toBe(before);
  expect(await (await opener.open(made.folder)).head()).toBe(after);
});
