/** Rows and stores for the record's tests. No text of any item, as in real ones. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RecordedBundle, RecordedRoute, RowBody } from '../../src/contract/record.js';
import { openRecordStore, type RecordStoreOptions } from '../../src/record/open-record-store.js';
import { newRecordId } from '../../src/record/record-id.js';

export const NOVEMBER = Date.UTC(2026, 10, 5, 12);
export const DECEMBER = Date.UTC(2026, 11, 5, 12);

export const ROUTE: RecordedRoute = {
  agent: 'change-reviewer',
  provider: 'acme',
  model_asked: 'large-1',
  origin: 'machine',
  remote: true,
  host: 'api.example.com',
};

export const BUNDLE: RecordedBundle = {
  kind: 'change_review',
  list_origin: 'compiled',
  project: null,
  items: [
    { id: 'itm-0001', input: 'diff', label: 'a..b', raw_bytes: 1200, bytes: 1000 },
    { id: 'itm-0002', input: 'changed_files', path: 'logo.png', raw_bytes: 900, bytes: 60, omitted: 'binary' },
  ],
  bytes: 1400,
  raw_bytes: 2100,
  cap: 4194304,
  cap_origin: 'default',
  digest: `sha256:${'1'.repeat(64)}`,
  approval: `sha256:${'2'.repeat(64)}`,
  blanked: [{ item: 'itm-0001', line: 7, kind: 'token:github_pat', rule: 'github-pat' }],
};

export const START: RowBody = {
  event: 'start',
  attempt: 1,
  verb: 'review',
  route: ROUTE,
  bundle: BUNDLE,
  digests: { rules: `sha256:${'3'.repeat(64)}` },
  versions: { coldseal: '0.1.0' },
  durations_ms: { scan: 40 },
  scanned_bytes: 2000,
};

export const END: RowBody = {
  event: 'end',
  outcome: 'sent',
  model_reported: 'large-1',
  usage: { prompt_tokens: 400, completion_tokens: 90 },
  finish_reason: 'stop',
  answer_bytes: 700,
  attempts: 1,
  durations_ms: { answer: 3000, first_token: 500 },
};

export const REFUSED: RowBody = {
  event: 'refused',
  verb: 'review',
  code: 'OVER_CAP',
  facts: { bytes: 5000000, cap: 4194304 },
  route: ROUTE,
  kind: 'change_review',
  project: null,
};

export const HOST: RowBody = {
  event: 'host',
  verb: 'review',
  route: { ...ROUTE, provider: null },
  kind: 'change_review',
};

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
