import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { composeAudit } from '../../src/kinds/compose-audit.js';
import { composeConsistency } from '../../src/kinds/compose-consistency.js';
import { recordFilesAt } from '../../src/kinds/record-files.js';
import { recordFilesInWorkTree } from '../../src/kinds/work-tree-records.js';
import {
  BRIEF,
  INTENTS,
  makeRecordRepository,
  type RecordRepository,
  shippedIntent,
} from '../support/make-record-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

let made: RecordRepository;
let opener: TestOpener;
const { signal } = new AbortController();

beforeEach(() => {
  made = makeRecordRepository();
  opener = makeOpener();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

test('A clean work tree gives the same documents as its commit.', async () => {
  const repository = await opener.open(made.folder);
  const committed = recordFilesAt(repository, made.head, () => false, signal);
  const present = recordFilesInWorkTree(made.folder);
  const range = { base: made.base, head: made.head };
  expect((await composeConsistency(present, null)).documents).toEqual(
    (await composeConsistency(committed, null)).documents,
  );
  expect((await composeAudit(present, 'itd-7', range)).documents).toEqual(
    (await composeAudit(committed, 'itd-7', range)).documents,
  );
});

test('What is not committed yet is read too, and a link is no record.', async () => {
  made.write(`${INTENTS}/shipped/itd-20-new.md`, shippedIntent);
  made.link(`${INTENTS}/shipped/itd-21-link.md`, 'itd-20-new.md');
  const files = recordFilesInWorkTree(made.folder);
  const range = { base: made.base, head: made.head };
  expect((await composeAudit(files, 'itd-20', range)).receipt).toMatch(/^rcp-[0-9a-f]{12}$/);
  await expect(composeAudit(files, 'itd-21', range)).rejects.toMatchObject({ code: 'INPUT_MISSING' });
});

test('A folder that is a link out of the work tree is not entered.', async () => {
  rmSync(join(made.folder, '.abcd/development/brief'), { recursive: true });
  made.link('.abcd/development/brief', '/etc');
  expect(await recordFilesInWorkTree(made.folder).below(BRIEF)).toEqual([]);
});
