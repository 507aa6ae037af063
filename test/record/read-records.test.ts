import { randomBytes } from 'node:crypto';
import { appendFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowBody } from '../../src/contract/record.js';
import { exportRecords } from '../../src/record/export-records.js';
import { listRecords } from '../../src/record/list-records.js';
import { readRows } from '../../src/record/read-rows.js';
import { isRecordId, newRecordId } from '../../src/record/record-id.js';
import { showRecord } from '../../src/record/show-record.js';
import { verifyRecords } from '../../src/record/verify-records.js';
import { BUNDLE, DECEMBER, END, HOST, REFUSED, START } from './rows.js';
import { freshFolder, linesOf, newId, storeIn } from './stores.js';

const exported = async (folder: string): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const line of exportRecords({ folder })) parts.push(line);
  return Buffer.concat(parts).toString();
};

describe('record ids', () => {
  it('are rec- and 26 characters of lower-case base32 from the bytes given', () => {
    expect(newRecordId(() => Uint8Array.from({ length: 26 }, (_, at) => at))).toBe('rec-abcdefghijklmnopqrstuvwxyz');
    expect(newRecordId(() => new Uint8Array(26).fill(255))).toBe(`rec-${'7'.repeat(26)}`);
    expect(isRecordId(newRecordId(randomBytes))).toBe(true);
  });

  it.each(['rec-', 'REC-abcdefghijklmnopqrstuvwxyz', `rec-${'a'.repeat(25)}`, `rec-${'1'.repeat(26)}`])(
    'are not %s',
    (text) => expect(isRecordId(text)).toBe(false),
  );
});

describe('reading the record', () => {
  async function storeOfRuns() {
    const folder = await freshFolder();
    const ids = { sent: newId(), refused: newId(), host: newId(), open: newId() };
    const store = storeIn(folder);
    await store.append(ids.sent, START);
    await store.append(ids.refused, REFUSED);
    await store.append(ids.sent, { ...START, attempt: 2 } as RowBody);
    await store.append(ids.host, HOST);
    await store.append(ids.open, START);
    await storeIn(folder, { clock: () => DECEMBER }).append(ids.sent, END);
    return { folder, ids };
  }

  it('joins the rows of each run, in the order the runs began', async () => {
    const { folder, ids } = await storeOfRuns();
    const runs = await listRecords({ folder, limit: 10 });
    expect(runs.map(({ id, outcome, code, attempts }) => ({ id, outcome, code, attempts }))).toEqual([
      { id: ids.sent, outcome: 'sent', code: null, attempts: 2 },
      { id: ids.refused, outcome: 'refused', code: 'OVER_CAP', attempts: 0 },
      { id: ids.host, outcome: 'host', code: null, attempts: 0 },
      { id: ids.open, outcome: 'unknown', code: null, attempts: 1 },
    ]);
    expect(runs[0]).toMatchObject({ kind: 'change_review', provider: 'acme', items: 2, bytes: 1400, blanked: 1 });
  });

  it('lists the newest runs when there are more than asked for', async () => {
    const { folder, ids } = await storeOfRuns();
    expect((await listRecords({ folder, limit: 2 })).map(({ id }) => id)).toEqual([ids.host, ids.open]);
  });

  it('shows one run with its rows, across months', async () => {
    const { folder, ids } = await storeOfRuns();
    const run = await showRecord({ folder }, ids.sent);
    expect(run?.rows.map((row) => row.event)).toEqual(['start', 'start', 'end']);
    expect(run?.summary.outcome).toBe('sent');
    expect(run?.rows[0]).toMatchObject(START);
  });

  it('says a start without an end is unknown', async () => {
    const { folder, ids } = await storeOfRuns();
    expect((await showRecord({ folder }, ids.open))?.summary.outcome).toBe('unknown');
  });

  it('answers null for a run that is not there, and nothing for a store that is not there', async () => {
    const { folder } = await storeOfRuns();
    expect(await showRecord({ folder }, newId())).toBeNull();
    expect(await listRecords({ folder: `${folder}-not`, limit: 5 })).toEqual([]);
  });

  it('exports every row byte for byte', async () => {
    const { folder } = await storeOfRuns();
    const files = ['2026-11.jsonl', '2026-12.jsonl'].map((name) => readFile(join(folder, name), 'utf8'));
    expect(await exported(folder)).toBe((await Promise.all(files)).join(''));
  });

  it('exports rows alone where a crash left a scrap, so every line is JSON', async () => {
    const { folder } = await storeOfRuns();
    await appendFile(join(folder, '2026-12.jsonl'), '{"v":1,"torn');
    await storeIn(folder, { clock: () => DECEMBER }).append(newId(), REFUSED);
    const lines = (await exported(folder)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).event)).toEqual([
      ...['start', 'refused', 'start', 'host', 'start', 'end'],
      ...['repair', 'refused'],
    ]);
    expect(await linesOf(folder)).toHaveLength(lines.length + 1);
  });

  it('tells of damaged lines and goes on with the others', async () => {
    const { folder } = await storeOfRuns();
    const path = join(folder, '2026-11.jsonl');
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace('"cap":4194304,"cap_origin"', '"cap":4194305,"cap_origin"'),
    );
    const damaged: string[] = [];
    const events: string[] = [];
    const onDamaged = (file: string, line: number) => damaged.push(`${file}:${line}`);
    for await (const row of readRows({ folder, onDamaged })) events.push(row.event);
    expect(damaged).toEqual(['2026-11.jsonl:1']);
    expect(events).toEqual(['refused', 'start', 'host', 'start', 'end']);
  });

  it('leaves out a line that is still being written', async () => {
    const { folder } = await storeOfRuns();
    await appendFile(join(folder, '2026-12.jsonl'), '{"v":1');
    expect(await listRecords({ folder, limit: 10 })).toHaveLength(4);
  });

  it('refuses a link in the place of the folder or a month file', async () => {
    const { folder } = await storeOfRuns();
    await symlink(folder, join(dirname(folder), 'link'));
    await expect(listRecords({ folder: join(dirname(folder), 'link'), limit: 1 })).rejects.toMatchObject({
      code: 'RECORD_UNWRITABLE',
    });
    await symlink(join(folder, '2026-12.jsonl'), join(folder, '2027-01.jsonl'));
    await expect(listRecords({ folder, limit: 1 })).rejects.toThrow(/ELOOP/);
  });

  it('reads back rows of any length and any text, whatever falls on the edge of a chunk', async () => {
    const bodies = fc.array(
      fc.record({ items: fc.integer({ min: 0, max: 700 }), path: fc.string({ unit: 'binary', maxLength: 60 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (shapes) => {
        const folder = await freshFolder();
        const store = storeIn(folder);
        const rows = shapes.map(({ items, path }): RowBody => {
          const item = { id: 'itm-0001', input: 'changed_files', path, raw_bytes: 1, bytes: 1 };
          return { ...START, bundle: { ...BUNDLE, items: Array.from({ length: items }, () => item) } } as RowBody;
        });
        for (const row of rows) await store.append(newId(), row);
        const read: unknown[] = [];
        for await (const row of readRows({ folder })) read.push(row);
        expect(read).toMatchObject(JSON.parse(JSON.stringify(rows)));
        expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: rows.length });
      }),
      { numRuns: 25 },
    );
  });
});
