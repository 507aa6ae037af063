import { createHash } from 'node:crypto';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyRecords } from '../../src/record/verify-records.js';
import { DECEMBER, END, NOVEMBER, REFUSED, START } from './rows.js';
import { freshFolder, linesOf, newId, storeIn } from './stores.js';

const rowsOf = async (folder: string) => (await linesOf(folder)).map((line) => JSON.parse(line));

describe('the record store', () => {
  it('writes nothing when it is only opened', async () => {
    const folder = await freshFolder();
    storeIn(folder);
    expect(await readdir(dirname(folder))).toEqual([]);
  });

  it('keeps one 0600 file a month in a 0700 folder and leaves no lock behind', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    await storeIn(folder, { clock: () => DECEMBER }).append(newId(), START);
    expect((await readdir(folder)).sort()).toEqual(['2026-11.jsonl', '2026-12.jsonl', 'last-hash']);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('chains every row to the one before it, across months, over the bytes of the line', async () => {
    const folder = await freshFolder();
    const id = newId();
    await storeIn(folder).append(id, START);
    const returned = await storeIn(folder, { clock: () => DECEMBER }).append(id, END);
    const lines = await linesOf(folder);
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first.prev).toBe(`sha256:${'0'.repeat(64)}`);
    expect(second).toEqual(returned);
    expect(second.prev).toBe(first.hash);
    for (const line of lines) {
      const bare = line.replace(/,"hash":"sha256:[0-9a-f]{64}"\}$/, '}');
      expect(JSON.parse(line).hash).toBe(`sha256:${createHash('sha256').update(bare).digest('hex')}`);
    }
  });

  it('writes rows of one store in the order they were asked for', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    const ids = Array.from({ length: 40 }, newId);
    await Promise.all(ids.map((id) => store.append(id, REFUSED)));
    expect((await rowsOf(folder)).map((row) => row.id)).toEqual(ids);
  });

  it('appends to the latest month when the clock jumps back', async () => {
    const folder = await freshFolder();
    await storeIn(folder, { clock: () => DECEMBER }).append(newId(), START);
    const late = storeIn(folder, { clock: () => NOVEMBER });
    expect(late.path()).toBeNull();
    await late.append(newId(), REFUSED);
    expect(late.path()).toBe(join(folder, '2026-12.jsonl'));
    expect((await readdir(folder)).sort()).toEqual(['2026-12.jsonl', 'last-hash']);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 2 });
  });

  it('closes a torn last line with a repair row and goes on', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    await appendFile(join(folder, '2026-11.jsonl'), '{"v":1,"id":"rec-to');
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 1 });
    await storeIn(folder, { clock: () => DECEMBER }).append(newId(), REFUSED);
    const lines = await linesOf(folder);
    expect(lines[1]).toBe('{"v":1,"id":"rec-to');
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ event: 'repair', torn_bytes: 19 });
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 3, files: 1 });
  });

  it('counts a last row that only lacks its newline', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), START);
    const known = await readFile(join(folder, 'last-hash'));
    await store.append(newId(), REFUSED);
    await writeFile(join(folder, 'last-hash'), known);
    const month = join(folder, '2026-11.jsonl');
    await truncate(month, (await stat(month)).size - 1);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 2 });
    await store.append(newId(), END);
    expect((await rowsOf(folder)).map((row) => row.event)).toEqual(['start', 'refused', 'end']);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 3 });
  });

  it('goes on behind a row whose last hash was never written', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), START);
    const known = await readFile(join(folder, 'last-hash'));
    await store.append(newId(), REFUSED);
    await writeFile(join(folder, 'last-hash'), known);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 2 });
    await storeIn(folder, { clock: () => DECEMBER }).append(newId(), REFUSED);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 3, notes: [] });
  });

  it('marks a lost last-hash file with a repair row', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), START);
    await writeFile(join(folder, 'last-hash'), 'gone');
    expect(await verifyRecords({ folder })).toMatchObject({ whole: false, break: { file: 'last-hash' } });
    await store.append(newId(), REFUSED);
    expect((await rowsOf(folder)).map((row) => row.event)).toEqual(['start', 'repair', 'refused']);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 3 });
  });

  it('shows a cut tail for ever, also when rows were appended after the cut', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), START);
    const { size } = await stat(join(folder, '2026-11.jsonl'));
    await store.append(newId(), REFUSED);
    await truncate(join(folder, '2026-11.jsonl'), size);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: false, rows: 1, break: { file: 'last-hash' } });
    await store.append(newId(), REFUSED);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: false, break: { file: '2026-11.jsonl', line: 2 } });
  });

  it('narrows a folder and files that others may only read', async () => {
    const folder = await freshFolder();
    const store = storeIn(folder);
    await store.append(newId(), START);
    await chmod(folder, 0o755);
    await chmod(join(folder, '2026-11.jsonl'), 0o644);
    await store.append(newId(), REFUSED);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, '2026-11.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('tells how long each row took, and nothing of a row that was refused', async () => {
    const folder = await freshFolder();
    const durations: number[] = [];
    const onWritten = (durationMs: number) => durations.push(durationMs);
    await storeIn(folder, { onWritten }).append(newId(), START);
    await chmod(folder, 0o777);
    await expect(storeIn(folder, { onWritten }).append(newId(), START)).rejects.toThrow(/mode 0777/);
    expect(durations).toHaveLength(1);
    expect(durations[0]).toBeGreaterThan(0);
  });

  it.each<[string, (folder: string) => Promise<void>]>([
    ['a folder that is a link', async (folder) => symlink(dirname(folder), folder)],
    ['a file in the folder’s place', async (folder) => writeFile(folder, '')],
    ['a folder others may write', async (folder) => mkdir(folder).then(() => chmod(folder, 0o777))],
    ['a month file that is a link', async (folder) => plant(folder, '2026-11.jsonl')],
    ['a last-hash file that is a link', async (folder) => plant(folder, 'last-hash')],
    ['a month file others may write', async (folder) => loose(folder, '2026-11.jsonl')],
    ['a lock that is a file', async (folder) => loose(folder, 'lock')],
  ])('refuses %s', async (_what, arrange) => {
    const folder = await freshFolder();
    await arrange(folder);
    await expect(storeIn(folder, { lockTimeoutMs: 50 }).append(newId(), START)).rejects.toMatchObject({
      code: 'RECORD_UNWRITABLE',
    });
  });

  it.runIf(process.geteuid?.() === 0)('refuses files of another user', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    await chown(join(folder, '2026-11.jsonl'), 12345, 12345);
    await expect(storeIn(folder).append(newId(), START)).rejects.toThrow(/belongs to user 12345/);
  });

  it('refuses a row that no reader could hold', async () => {
    const folder = await freshFolder();
    const facts = { bytes: 1, long: 'x'.repeat(65 * 1024 * 1024) };
    const row = storeIn(folder).append(newId(), { ...REFUSED, facts } as typeof REFUSED);
    await expect(row).rejects.toThrow(/over the limit of 67108864 bytes/);
    expect(await linesOf(folder)).toEqual([]);
  });
});

/** A link to an empty file outside the folder. */
async function plant(folder: string, name: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(dirname(folder), 'elsewhere'), '');
  await symlink(join(dirname(folder), 'elsewhere'), join(folder, name));
}

async function loose(folder: string, name: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, name), '');
  await chmod(join(folder, name), 0o666);
}
