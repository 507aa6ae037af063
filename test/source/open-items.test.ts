import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openItems } from '../../src/source/open-items.js';
import { openItemsAhead } from '../../src/source/open-items-ahead.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { planOf } from '../support/read-plan.js';

let made: MadeRepository;
let opener: TestOpener;
const CAP_BYTES = 4 * 1024 * 1024;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
  made.commit('first');
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const batchesOf = async (withhold: readonly string[] = []) => {
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository, { withhold });
  const batches = [];
  const { signal } = new AbortController();
  for await (const batch of openItems({ plan, repository, capBytes: CAP_BYTES, signal })) batches.push(batch);
  return { plan, batches };
};

test('Small items share one buffer, a large one stands alone, and the order is the plan’s.', async () => {
  const files = {
    a: 'a\n',
    b: 'b\n',
    big: 'x'.repeat(300 * 1024),
    c: 'c\n',
    latin: Buffer.from([0xe9, 0x61, 0x62, 0x0a]),
    z: 'z\n',
  };
  made.commit('second', files);
  const { plan, batches } = await batchesOf();
  expect(batches.map((batch) => batch.map(({ item }) => item.id))).toEqual([
    ['itm-0001'],
    ['itm-0002', 'itm-0003'],
    ['itm-0004'],
    ['itm-0005'],
    ['itm-0006'],
    ['itm-0007'],
  ]);
  expect(batches.flat().map(({ item }) => item)).toEqual(plan.items);
  for (const batch of batches) {
    expect(new Set(batch.map(({ text }) => text.buffer)).size).toBe(1);
    expect(batch[0]?.text.buffer).toBeInstanceOf(SharedArrayBuffer);
  }
});

test('A fixed line that is longer than the file it stands for has its room.', async () => {
  made.commit('second', { 'binary-with-a-long-name': Buffer.from([0, 1]), '.env': 'x', z: 'z\n' });
  const { batches } = await batchesOf(['.env']);
  expect(
    batches
      .flat()
      .map(({ text, rawBytes }) => [Buffer.from(text).toString(), rawBytes])
      .slice(1),
  ).toEqual([
    ['withheld: .env\n', 1],
    ['binary: binary-with-a-long-name, 2 bytes, not shown because more than 1 % of them is no text\n', 2],
    ['z\n', 2],
  ]);
});

test('A large file that can only be binary is told by its beginning, the rest is never held, and what follows is read on.', async () => {
  const block = createHash('sha512').update('binary').digest();
  const binary = Buffer.alloc(8 * 1024 * 1024, block);
  made.commit('second', { 'a.bin': binary, 'b.txt': 'after it\n' });
  const { batches } = await batchesOf();
  const [line, after] = batches.flat().slice(1);
  expect([line?.omitted, line?.rawBytes]).toEqual(['binary', binary.length]);
  expect(Buffer.from(after?.text ?? []).toString()).toBe('after it\n');
  const held = Buffer.from(line?.text.buffer ?? new ArrayBuffer(0));
  expect(held.length).toBe(binary.length);
  // It is asked after half a MiB, so of 8 MiB some of the first two are there and nothing of the rest.
  expect(held.subarray(2 * 1024 * 1024).every((byte) => byte === 0)).toBe(true);
});

test('A large text with one binary page stays what the whole of it is.', async () => {
  const text = Buffer.alloc(4 * 1024 * 1024, 'plain words\n');
  text.fill(0, 600 * 1024, 610 * 1024);
  made.commit('second', { 'a.txt': text });
  const { batches } = await batchesOf();
  const item = batches.flat().find(({ item: { path } }) => path !== null);
  expect([item?.omitted, item?.lossy]).toEqual([null, 10 * 1024]);
});

test('An abort between two batches ends the reading with its reason.', async () => {
  made.commit('second', { a: 'x'.repeat(300 * 1024), b: 'y'.repeat(300 * 1024) });
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository);
  const stop = new AbortController();
  const reason = new Error('over the cap');
  const seen: string[] = [];
  const read = async () => {
    for await (const [first] of openItems({ plan, repository, capBytes: CAP_BYTES, signal: stop.signal })) {
      seen.push(first?.item.id ?? '');
      if (seen.length === 2) stop.abort(reason);
    }
  };
  await expect(read()).rejects.toBe(reason);
  expect(seen).toEqual(['itm-0001', 'itm-0002']);
});

test('A reader that walks away leaves no child and no folder behind.', async () => {
  made.commit('second', Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`f${at}`, 'x'.repeat(5000)])));
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository);
  const { signal } = new AbortController();
  for await (const batch of openItems({ plan, repository, capBytes: CAP_BYTES, signal })) if (batch.length > 1) break;
  await repository.close();
});

test('A diff whose lines change their encoding a few hundred thousand times is whole.', async () => {
  const lines = 150_000;
  made.commit('second', { latin: Buffer.from('\xe9a\nb\n'.repeat(lines), 'latin1') });
  const { batches } = await batchesOf();
  const [diff] = batches.flat();
  const text = Buffer.from(diff?.text ?? []).toString('utf8');
  expect(text.endsWith(`@@ -0,0 +1,${2 * lines} @@\n${'+\u00e9a\n+b\n'.repeat(lines)}`)).toBe(true);
});

test('Read ahead in any order, each item comes once with the same bytes as in list order.', async () => {
  const small = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, `${at} `.repeat(1000)]));
  made.commit('second', { ...small, big: 'x'.repeat(600 * 1024), latin: Buffer.from([0xe9, 0x61, 0x62, 0x0a]), z: '' });
  const { plan, batches } = await batchesOf();
  const repository = await opener.open(made.folder);
  const { signal } = new AbortController();
  const ahead = [];
  for await (const batch of openItemsAhead({ plan, repository, capBytes: CAP_BYTES, signal })) ahead.push(...batch);
  const inOrder = [...ahead].sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
  expect(inOrder.map(({ item, text }) => [item.id, Buffer.from(text).toString('latin1')])).toEqual(
    batches.flat().map(({ item, text }) => [item.id, Buffer.from(text).toString('latin1')]),
  );
});

test('Who walks away from items that are read ahead leaves no child and no folder behind.', async () => {
  made.commit('second', Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`f${at}`, 'x'.repeat(5000)])));
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository);
  const { signal } = new AbortController();
  for await (const batch of openItemsAhead({ plan, repository, capBytes: CAP_BYTES, signal })) {
    expect(batch.length).toBeGreaterThan(0);
    break;
  }
  await repository.close();
});

test('An abort ends what is read ahead with its reason.', async () => {
  made.commit('second', { a: 'x'.repeat(300 * 1024), b: 'y'.repeat(300 * 1024) });
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository);
  const stop = new AbortController();
  const reason = new Error('over the cap');
  stop.abort(reason);
  const read = async () => {
    for await (const batch of openItemsAhead({ plan, repository, capBytes: CAP_BYTES, signal: stop.signal }))
      void batch;
  };
  await expect(read()).rejects.toBe(reason);
});
