/** Stores in temporary folders for the record's tests. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openRecordStore, type RecordStoreOptions } from '../../src/record/open-record-store.js';
import { newRecordId } from '../../src/record/record-id.js';
import { NOVEMBER } from './rows.js';

export const newId = (): string => newRecordId(randomBytes);

/** A folder that does not exist yet, inside one that is removed when the test ends. */
export async function freshFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'coldseal-records-'));
  onTestFinished(async () => {
    await rm(parent, { recursive: true, force: true });
  });
  return join(parent, 'records');
}

export const storeIn = (folder: string, options: Partial<RecordStoreOptions> = {}) =>
  openRecordStore({ folder, clock: () => NOVEMBER, random: randomBytes, lockTimeoutMs: 5000, ...options });

/** Lines of every month file, in chain order. */
export async function linesOf(folder: string): Promise<readonly string[]> {
  const months = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  const texts = await Promise.all(months.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').slice(0, -1));
}
