/** A large object that can be nothing but binary is told by its beginning, as a file of a work tree is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBrought } from '../../../src/app/scan/read-brought.js';
import type { SourceEntry } from '../../../src/app/scan/scan-source.js';
import type { Repository } from '../../../src/contract/repository.js';
import { type MadeRepository, makeRepository } from '../../support/make-repository.js';
import { makeOpener, type TestOpener } from '../../support/open-test-repository.js';

const MIB = 1024 * 1024;
const UNTOUCHED = 0x55;
/** No byte is the one that memory is filled with before. */
const ZEROS = Buffer.alloc(8 * MIB);
const TEXT = Buffer.alloc(8 * MIB, 'const answer = 42;\n');
/** With one page that is no text, and text as a whole. */
const PAGED = Buffer.from(TEXT).fill(0, 600 * 1024, 610 * 1024);
/** Text in its first part, and no text as a whole. */
const LATE = Buffer.concat([TEXT.subarray(0, MIB), ZEROS]);

let made: MadeRepository;
let opener: TestOpener;
let repository: Repository;
beforeAll(async () => {
  made = makeRepository();
  made.commit('first', { 'one.txt': 'one\n' });
  opener = makeOpener();
  repository = await opener.open(made.folder);
});
afterAll(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const objectOf = (bytes: Uint8Array, path = 'one') => {
  const objectId = made.git(['hash-object', '-w', '--stdin'], bytes);
  return { path: Buffer.from(path), mode: '100644', objectId, brought: { commit: null, before: [] } };
};

const readAll = async (objects: readonly ReturnType<typeof objectOf>[], includesBinary: boolean) => {
  const entries: SourceEntry[] = [];
  const targets: Uint8Array[] = [];
  const take = (bytes: number): Uint8Array => {
    const target = new Uint8Array(new SharedArrayBuffer(bytes)).fill(UNTOUCHED);
    targets.push(target);
    return target;
  };
  const { signal } = new AbortController();
  for await (const batch of readBrought(repository, objects, { signal, includesBinary })) {
    entries.push(...(await batch.load(take)));
  }
  return { entries, targets };
};

describe('a large object', () => {
  it('that shows only later that it is binary is told and not held from there on', async () => {
    const { entries, targets } = await readAll([objectOf(LATE)], false);
    expect(entries).toMatchObject([{ kind: 'unscanned', reason: 'binary' }]);
    expect(targets[0]?.subarray(6 * MIB).every((byte) => byte === UNTOUCHED)).toBe(true);
  });

  it('that can only be binary is told and not held, and what follows is read on', async () => {
    const after = objectOf(Buffer.from('after it\n'), 'two');
    const { entries, targets } = await readAll([objectOf(ZEROS), after], false);
    expect(entries).toMatchObject([
      { kind: 'unscanned', reason: 'binary', detail: `${8 * MIB} bytes, more than 1 % of them no text` },
      { kind: 'text' },
    ]);
    // It is asked after half a MiB, so some of the first two are there and nothing of the rest.
    expect(targets[0]?.subarray(2 * MIB).every((byte) => byte === UNTOUCHED)).toBe(true);
    expect(entries[1]?.kind === 'text' && Buffer.from(entries[1].bytes).toString()).toBe('after it\n');
  });

  it('is read whole where binary objects are asked for', async () => {
    const { entries, targets } = await readAll([objectOf(ZEROS)], true);
    expect(entries[0]?.kind).toBe('text');
    expect(targets[0]?.every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ['text', TEXT],
    ['text but for a page', PAGED],
  ])('that is %s is read whole and judged afterwards', async (_what, bytes) => {
    const { entries } = await readAll([objectOf(bytes)], false);
    expect(entries[0]?.kind === 'text' && Buffer.compare(entries[0].bytes, bytes) === 0).toBe(true);
  });
});

it('Objects that are empty fill a batch by their number.', async () => {
  const empty = objectOf(Buffer.alloc(0));
  const objects = Array.from({ length: 3000 }, () => empty);
  const batches: number[] = [];
  const { signal } = new AbortController();
  for await (const batch of readBrought(repository, objects, { signal, includesBinary: false })) {
    batches.push((await batch.load((bytes) => new Uint8Array(new SharedArrayBuffer(bytes)))).length);
  }
  expect(batches).toEqual([1024, 1024, 952]);
});
