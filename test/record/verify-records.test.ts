import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyRecords } from '../../src/record/verify-records.js';
import { DECEMBER, END, REFUSED, START } from './rows.js';
import { freshFolder, linesOf, newId, storeIn } from './stores.js';

/** Five rows over two months. */
async function storeOfTwoMonths(): Promise<{ readonly folder: string; readonly unfinished: string }> {
  const folder = await freshFolder();
  const [november, december] = [storeIn(folder), storeIn(folder, { clock: () => DECEMBER })];
  const [finished, unfinished] = [newId(), newId()];
  await november.append(finished, START);
  await november.append(newId(), REFUSED);
  await november.append(finished, END);
  await december.append(newId(), REFUSED);
  await december.append(unfinished, START);
  return { folder, unfinished };
}

const FILES = ['2026-11.jsonl', '2026-12.jsonl', 'last-hash'] as const;

/** Changes one file's lines. */
const rewrite = async (folder: string, name: string, change: (lines: string[]) => string[]): Promise<void> => {
  const path = join(folder, name);
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  await writeFile(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
};

describe('verifying the record', () => {
  it('is whole for a store without a folder', async () => {
    expect(await verifyRecords({ folder: await freshFolder() })).toMatchObject({ whole: true, rows: 0, files: 0 });
  });

  it('tells rows, files, the last hash and the runs that never ended', async () => {
    const { folder, unfinished } = await storeOfTwoMonths();
    const last = JSON.parse((await linesOf(folder)).at(-1) ?? '');
    expect(await verifyRecords({ folder })).toEqual({
      whole: true,
      rows: 5,
      files: 2,
      last_hash: last.hash,
      break: null,
      notes: [],
      unfinished: [unfinished],
    });
  });

  it('leaves the store as it was', async () => {
    const { folder } = await storeOfTwoMonths();
    await verifyRecords({ folder });
    expect((await readdir(folder)).sort()).toEqual([...FILES]);
  });

  it('breaks when any one byte is changed, taken out or put in', async () => {
    const { folder } = await storeOfTwoMonths();
    const sound = await Promise.all(FILES.map((name) => readFile(join(folder, name))));
    const edits = fc.record({
      file: fc.nat(FILES.length - 1),
      at: fc.nat(1_000_000),
      byte: fc.nat(255),
      edit: fc.constantFrom('change', 'take out', 'put in'),
    });
    await fc.assert(
      fc.asyncProperty(edits, async ({ file, at, byte, edit }) => {
        const bytes = sound[file] ?? Buffer.alloc(0);
        const place = at % bytes.length;
        const after = bytes.subarray(place + (edit === 'put in' ? 0 : 1));
        const edited = Buffer.concat([
          bytes.subarray(0, place),
          edit === 'take out' ? Buffer.alloc(0) : Buffer.from([byte]),
          after,
        ]);
        fc.pre(!edited.equals(bytes));
        const path = join(folder, FILES[file] ?? '');
        await writeFile(path, edited);
        const { whole } = await verifyRecords({ folder });
        await writeFile(path, bytes);
        expect(whole).toBe(false);
      }),
      { numRuns: 400 },
    );
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true });
  });

  it('breaks wherever the tail is cut', async () => {
    const { folder } = await storeOfTwoMonths();
    const path = join(folder, '2026-12.jsonl');
    const bytes = await readFile(path);
    for (let size = bytes.length - 1; size >= 0; size -= 37) {
      await writeFile(path, bytes.subarray(0, size));
      expect((await verifyRecords({ folder })).whole, `cut at ${size}`).toBe(false);
    }
  });

  it.each<[string, (folder: string) => Promise<void>, { file: string; line: number }]>([
    [
      'a row taken out',
      (folder) => rewrite(folder, '2026-11.jsonl', ([one = '', , three = '']) => [one, three]),
      { file: '2026-11.jsonl', line: 2 },
    ],
    [
      'two rows exchanged',
      (folder) => rewrite(folder, '2026-11.jsonl', ([one = '', two = '', three = '']) => [one, three, two]),
      { file: '2026-11.jsonl', line: 2 },
    ],
    [
      'a row doubled',
      (folder) => rewrite(folder, '2026-12.jsonl', ([one = '', two = '']) => [one, one, two]),
      { file: '2026-12.jsonl', line: 2 },
    ],
    [
      'an empty line',
      (folder) => rewrite(folder, '2026-12.jsonl', ([one = '', two = '']) => [one, '', two]),
      { file: '2026-12.jsonl', line: 2 },
    ],
    ['the first month removed', (folder) => rm(join(folder, '2026-11.jsonl')), { file: '2026-12.jsonl', line: 1 }],
    ['the last month removed', (folder) => rm(join(folder, '2026-12.jsonl')), { file: 'last-hash', line: 0 }],
    [
      'a month renamed before the other',
      (folder) => rename(join(folder, '2026-12.jsonl'), join(folder, '2026-10.jsonl')),
      { file: '2026-10.jsonl', line: 1 },
    ],
    ['the last-hash file removed', (folder) => rm(join(folder, 'last-hash')), { file: 'last-hash', line: 0 }],
  ])('names the place of %s', async (_what, damage, place) => {
    const { folder } = await storeOfTwoMonths();
    await damage(folder);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: false, break: place });
  });

  it('does not take a line of its own for what a crash left', async () => {
    const { folder } = await storeOfTwoMonths();
    await rewrite(folder, '2026-11.jsonl', ([one = '', , three = '']) => [one, 'a crash, surely', three]);
    expect(await verifyRecords({ folder })).toMatchObject({
      whole: false,
      break: { file: '2026-11.jsonl', line: 2, reason: 'not a row' },
    });
  });

  it('breaks when an older last-hash file is put back', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), REFUSED);
    const older = await readFile(join(folder, 'last-hash'));
    for (let row = 0; row < 3; row += 1) await store.append(newId(), REFUSED);
    await writeFile(join(folder, 'last-hash'), older);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: false, break: { file: 'last-hash' } });
  });

  it('is whole at any moment while others append', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    const seen = new Set<number>();
    const isEnough = (): boolean => seen.size > 3;
    const appended = (async () => {
      while (!isEnough()) await store.append(newId(), REFUSED);
    })();
    while (!isEnough()) {
      const verification = await verifyRecords({ folder });
      expect(verification).toMatchObject({ whole: true, break: null });
      seen.add(verification.rows);
    }
    await appended;
  });
});
