import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { RecordFiles } from '../../src/record/record-files.js';
import { verifyRecords } from '../../src/record/verify-records.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { type BuiltChild, buildChild } from './build-child.js';
import { interruptedFiles, systemError } from './interrupted-files.js';
import { REFUSED, START } from './rows.js';
import { freshFolder, linesOf, newId, storeIn } from './stores.js';

let child: BuiltChild;
beforeAll(async () => {
  child = await buildChild('test/record/children/append-rows.ts');
});
afterAll(() => child.remove());

const run = promisify(execFile);
const refusal = { code: 'RECORD_UNWRITABLE' };

/** Nothing to count where there is no `/proc`. */
const openDescriptors = async (): Promise<number> => (await readdir('/proc/self/fd').catch(() => [])).length;

/** Content of every file, so that "nothing was counted" is byte for byte. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
  return Object.fromEntries(texts);
}

/** Fails the calls that `is` picks, as long as it picks them. */
const failing = (code: string, is: (call: string, path: string, nth: number) => boolean): RecordFiles => {
  let nth = 0;
  return interruptedFiles((call, path) => {
    nth += 1;
    if (is(call, path, nth)) throw systemError(code);
  });
};

describe('a fault while appending', () => {
  it.each([
    ['the first row of a store', 0],
    ['a later row', 2],
  ])('of %s at any single call counts nothing and leaves the next append whole', async (_what, rowsBefore) => {
    let rejected = 0;
    const openBefore = await openDescriptors();
    for (let at = 1; ; at += 1) {
      expect(at).toBeLessThan(60);
      const folder = await freshFolder();
      for (let row = 0; row < rowsBefore; row += 1) await storeIn(folder).append(newId(), START);
      let isArmed = true;
      let reached = false;
      const files = failing('EIO', (_call, _path, nth) => {
        const isHit = isArmed && nth === at;
        reached ||= isHit;
        return isHit;
      });
      const store = storeIn(folder, { files });
      const written = await store.append(newId(), REFUSED).catch((error: unknown) => error);
      isArmed = false;
      const isWritten = !(written instanceof Error);
      if (!isWritten) {
        rejected += 1;
        expect(written).toMatchObject(refusal);
      }
      const counted = rowsBefore + (isWritten ? 1 : 0);
      expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: counted });
      await store.append(newId(), REFUSED);
      expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: counted + 1 });
      expect((await linesOf(folder)).map((line) => JSON.parse(line).event)).not.toContain('repair');
      if (!reached) break;
    }
    expect(rejected).toBeGreaterThan(10);
    expect(await openDescriptors()).toBe(openBefore);
  });

  it.each([
    ['the row cannot be made durable', 'EIO', 'file.sync', '.jsonl'],
    ['the last hash cannot be written', 'EIO', 'file.write', 'last-hash'],
    ['the last hash cannot be made durable', 'EIO', 'file.sync', 'last-hash'],
  ])('counts nothing when %s', async (_what, code, failedCall, ending) => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const before = await contentOf(folder);
    let failed = false;
    const files = failing(code, (call, path) => {
      const isHit = !failed && call === failedCall && path.endsWith(ending);
      failed ||= isHit;
      return isHit;
    });
    await expect(storeIn(folder, { files }).append(newId(), REFUSED)).rejects.toThrow(/EIO.*the disk reports an error/);
    expect(await contentOf(folder)).toEqual(before);
  });

  it('leaves a torn line at worst when the disk refuses the undoing too, and the next row closes it', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const { size } = await stat(join(folder, '2026-11.jsonl'));
    // Half of the row reaches the file, then nothing of the month file works any more.
    let isDead = false;
    const real = interruptedFiles((call, path) => {
      if (isDead && path.endsWith('.jsonl') && call !== 'open') throw systemError('EIO');
    });
    const files: RecordFiles = {
      ...real,
      open: async (path, flags, mode) => {
        const file = await real.open(path, flags, mode);
        if (!path.endsWith('.jsonl')) return file;
        return {
          ...file,
          write: async (buffer, offset, length, position) => {
            const written = await file.write(buffer, offset, Math.floor(length / 2), position);
            isDead = true;
            return written;
          },
        };
      },
    };
    await expect(storeIn(folder, { files }).append(newId(), REFUSED)).rejects.toThrow(/only \d+ of \d+ bytes/);
    expect((await stat(join(folder, '2026-11.jsonl'))).size).toBeGreaterThan(size);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 1 });
    await storeIn(folder).append(newId(), REFUSED);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 3 });
  });

  it('says what a file size limit is, for real', async () => {
    const folder = await freshFolder();
    const limited = spawnSync('sh', ['-c', 'ulimit -f 20; exec "$0" "$@"', process.execPath, child.file, folder, '40']);
    expect(limited.status).toBe(2);
    expect(limited.stderr.toString()).toMatch(/RECORD_UNWRITABLE.*(only \d+ of \d+ bytes|EFBIG)/);
    const promised = limited.stdout.toString().split('\n').slice(0, -1);
    expect(promised.length).toBeGreaterThan(2);
    const verification = await verifyRecords({ folder });
    expect(verification).toMatchObject({ whole: true });
    expect(verification.rows - 2 * promised.length).toBeLessThanOrEqual(1);
    await storeIn(folder).append(newId(), REFUSED);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: verification.rows + 1 });
  });

  it('says that too many files are open, for real', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const before = await contentOf(folder);
    const limited = await openEverything(folder);
    expect(limited).toMatch(/^RECORD_UNWRITABLE .*EMFILE.*too many files open/);
    expect(await contentOf(folder)).toEqual(before);
  });

  it('says that the disk is full, for real', async (context) => {
    const folder = await mountSmall(context, '48k');
    const full = spawnSync(process.execPath, [child.file, folder, '200']);
    expect(full.stderr.toString()).toMatch(/RECORD_UNWRITABLE.*(only \d+ of \d+ bytes|ENOSPC)/);
    const verification = await verifyRecords({ folder });
    expect(verification).toMatchObject({ whole: true });
    expect(verification.rows).toBeGreaterThan(10);
    await expect(storeIn(folder).append(newId(), START)).rejects.toMatchObject(refusal);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: verification.rows });
  });

  it('says that the disk is full before a store’s first row, for real', async (context) => {
    const folder = await mountSmall(context, '12k');
    await writeFile(join(folder, 'ballast'), Buffer.alloc(8192));
    await expect(storeIn(folder).append(newId(), START)).rejects.toMatchObject(refusal);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 0 });
    await rm(join(folder, 'ballast'));
    await storeIn(folder).append(newId(), START);
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 1, notes: [] });
  });
});

describe('a home on a disk that cannot be written', () => {
  it('says so, not that something is missing, for real', async (context) => {
    const home = await mountSmall(context, '48k');
    await run('mount', ['-o', 'remount,ro', home]);
    await expect(storeIn(join(home, 'coldseal', 'records')).append(newId(), START)).rejects.toMatchObject({
      code: 'RECORD_UNWRITABLE',
      message: expect.stringMatching(/EROFS.*read-only/),
    });
  });
});

/** A child that may open few files and has opened them all; its one append's refusal. */
async function openEverything(folder: string): Promise<string> {
  const starved = await buildChild('test/record/children/append-starved.ts');
  onTestFinished(starved.remove);
  const ended = spawnSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, starved.file, folder]);
  return ended.stderr.toString();
}

/** A fresh folder that is a file system of that size; ends with the test, which is passed over where mounting is not allowed. */
async function mountSmall(context: TestContext, size: string): Promise<string> {
  const folder = await freshFolder();
  await mkdir(folder, { mode: 0o700 });
  mountSmallDisk(context, folder, size);
  return folder;
}
