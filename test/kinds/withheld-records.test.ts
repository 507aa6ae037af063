/** A record that the owner withholds may be read to tell what it is; no request quotes or hashes what it holds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repository } from '../../src/contract/repository.js';
import { composeAudit } from '../../src/kinds/compose-audit.js';
import { composeChangelog } from '../../src/kinds/compose-changelog.js';
import { composeConsistency } from '../../src/kinds/compose-consistency.js';
import { recordFilesAt } from '../../src/kinds/record-files.js';
import { INTENTS, makeRecordRepository, type RecordRepository, SPECS } from '../support/make-record-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';

let made: RecordRepository;
let opener: TestOpener;
let repository: Repository;
const { signal } = new AbortController();

beforeAll(async () => {
  made = makeRecordRepository();
  opener = makeOpener();
  repository = await opener.open(made.folder);
});
afterAll(async () => {
  await opener.close();
  made.close();
});

const range = () => ({ base: made.base, head: made.head });

describe('A withheld record', () => {
  const hiding = (name: string) => (path: Uint8Array) => Buffer.from(path).includes(name);
  const hidden = (name: string) => recordFilesAt(repository, made.head, hiding(name), signal);

  test('cannot be audited, because the request would quote it.', async () => {
    await expect(composeAudit(hidden('itd-7'), 'itd-7', range())).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      message: expect.stringContaining('is withheld'),
    });
  });

  test('still counts as a spec of its intent, in its place.', async () => {
    const { prepared } = await composeAudit(hidden('spc-2'), 'itd-7', range());
    expect(prepared.get('specs')?.map(({ path }) => Buffer.from(path ?? []).toString())).toEqual([
      `${SPECS}/closed/spc-2-first.md`,
      `${SPECS}/closed/spc-10-second.md`,
    ]);
  });

  test('is one line of the corpus and of the cut.', async () => {
    const { documents } = await composeConsistency(hidden('itd-9'), null);
    const corpus = Buffer.from(documents.find(({ suffix }) => suffix === 'corpus.md')?.bytes ?? []).toString();
    expect(corpus).toContain(`\nwithheld: ${INTENTS}/planned/itd-9-next.md\n`);
    expect(corpus).not.toContain('One at a time.');
    const words = { from: 'v0.3.1', to: null };
    const { prepared } = await composeChangelog(repository, words, hiding('iss-'), signal);
    const origin = prepared.get('cut')?.[0]?.origin;
    const cut = origin?.kind === 'text' ? Buffer.from(origin.bytes).toString() : '';
    expect(JSON.parse(cut)).toMatchObject({ added: [{ title: 'Send safely' }, { title: 'iss-5', impact: null }] });
    for (const text of ['Faster now.', 'It no longer ends early.', 'next_tag']) expect(cut).not.toContain(text);
  });
});
