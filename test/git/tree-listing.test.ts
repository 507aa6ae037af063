/** Listings are judged row by row: what is not kept is not held, and the first row too many ends git. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countItems, MOST_ITEMS } from '../../src/contract/item-bounds.js';
import { FieldCutter } from '../../src/git/cut-fields.js';
import { sameFiles } from '../support/hostile-shapes.js';
import type { MadeRepository } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

const FILES = MOST_ITEMS + 20_000;
const FOLDERS = FILES / 1000;

let made: MadeRepository;
let opener: TestOpener;
beforeAll(() => {
  made = sameFiles(FOLDERS);
  opener = makeOpener();
});
afterAll(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

describe('a commit of more files than a bundle may have', () => {
  it('is judged whole, and only what is wanted has memory, of its own', async () => {
    const repository = await opener.open(made.folder);
    let judged = 0;
    const kept = await repository.listTree((await repository.head()) ?? '', ({ path }) => {
      judged += 1;
      return Buffer.from(path).toString() === 'd77/f7';
    });
    expect([judged, kept.map(({ path }) => Buffer.from(path).toString())]).toEqual([FILES, ['d77/f7']]);
    // A view of what git printed would hold a pipe's chunk for each kept row.
    for (const { path } of kept) expect(path.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
  });

  it('is refused at the first row too many: no row after it is looked at', async () => {
    const repository = await opener.open(made.folder);
    const count = countItems('The bundle would have', 'Narrow the list.');
    let judged = 0;
    const listed = repository.listTree((await repository.head()) ?? '', () => {
      judged += 1;
      count();
      return true;
    });
    await expect(listed).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE', facts: { limit_items: MOST_ITEMS } });
    expect(judged).toBe(MOST_ITEMS + 1);
  });

  it('that a range brings is refused while git lists it', async () => {
    const repository = await opener.open(made.folder);
    const changes = repository.changes(repository.emptyTree, (await repository.head()) ?? '');
    await expect(changes).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE', facts: { limit_items: MOST_ITEMS } });
  });
});

describe('fields that stand in several chunks', () => {
  const cut = (text: string, chunkBytes: number): readonly string[] => {
    const fields: string[] = [];
    const cutter = new FieldCutter('ls-tree', (field) => fields.push(field.toString('latin1')));
    const bytes = Buffer.from(text, 'latin1');
    for (let at = 0; at < bytes.length; at += chunkBytes) cutter.push(bytes.subarray(at, at + chunkBytes));
    cutter.end();
    return fields;
  };

  it.each([1, 2, 3, 5, 7, 100])('are the same in chunks of %i bytes', (chunkBytes) => {
    expect(cut('one\0\0three and more\0four\0', chunkBytes)).toEqual(['one', '', 'three and more', 'four']);
  });

  it('without their end are no listing', () => {
    expect(() => cut('one\0tw', 3)).toThrow(expect.objectContaining({ code: 'GIT_FAILED' }));
  });

  it('that go on and on are refused before they are put together', () => {
    let pushed = 0;
    const cutter = new FieldCutter('ls-tree', () => undefined);
    const push = (): void => {
      for (;;) {
        cutter.push(Buffer.alloc(64 * 1024, 'x'));
        pushed += 1;
      }
    };
    expect(push).toThrow(expect.objectContaining({ code: 'ITEM_TOO_LARGE' }));
    expect(pushed).toBe(16);
  });
});
