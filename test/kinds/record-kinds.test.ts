import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreparedInputs } from '../../src/contract/item.js';
import type { Repository } from '../../src/contract/repository.js';
import { composeAudit } from '../../src/kinds/compose-audit.js';
import { composeChangelog } from '../../src/kinds/compose-changelog.js';
import { composeConsistency } from '../../src/kinds/compose-consistency.js';
import { recordFilesAt } from '../../src/kinds/record-files.js';
import {
  BRIEF,
  CRITERIA,
  INTENTS,
  ISSUES,
  makeRecordRepository,
  type RecordRepository,
  SPECS,
} from '../support/make-record-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { readPlan } from '../support/read-plan.js';

let made: RecordRepository;
let opener: TestOpener;
let repository: Repository;
const { signal } = new AbortController();

beforeEach(async () => {
  made = makeRecordRepository();
  opener = makeOpener();
  repository = await opener.open(made.folder);
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const isWithheld = () => false;
const filesAt = (commit: string) => recordFilesAt(repository, commit, isWithheld, signal);
const textOf = (prepared: PreparedInputs, input: 'request' | 'cut'): string => {
  const origin = prepared.get(input)?.[0]?.origin;
  return origin?.kind === 'text' ? Buffer.from(origin.bytes).toString('utf8') : '';
};
const range = () => ({ base: made.base, head: made.head });
const commitOnTop = (files: Record<string, string>): string => made.commit('more', files);

describe('An audit', () => {
  test('sends request, intent, each closed spec in id order, diff and changed files, in that order.', async () => {
    const { prepared, receipt } = await composeAudit(filesAt(made.head), 'itd-7', range());
    const items = await readPlan(repository, { kind: 'intent_audit', prepared });
    expect(items.map(({ input, name }) => [input, name])).toEqual([
      ['request', receipt],
      ['intent', `${INTENTS}/shipped/itd-7-send-safely.md`],
      ['specs', `${SPECS}/closed/spc-2-first.md`],
      ['specs', `${SPECS}/closed/spc-10-second.md`],
      ['diff', `${made.base}..${made.head}`],
      ['changed_files', `${SPECS}/closed/spc-3-other.md`],
      ['changed_files', `${SPECS}/open/spc-11-open.md`],
      ['changed_files', `${ISSUES}/resolved/iss-5-slow.md`],
      ['changed_files', 'src/send.ts'],
    ]);
  });

  test('has a receipt over the promise, and hashes over everything above them.', async () => {
    const { prepared, receipt } = await composeAudit(filesAt(made.head), 'itd-7', range());
    expect(receipt).toBe(`rcp-${sha256(`itd-7|spc-2|${sha256(CRITERIA)}`).slice(0, 12)}`);
    const text = textOf(prepared, 'request');
    expect(text.startsWith(`# Fidelity review request — ${receipt}\n\n- receipt_id: ${receipt}\n`)).toBe(true);
    expect(text).toContain(`\n- specs: spc-2, spc-10\n- delivered_range: ${made.base}..${made.head}\n`);
    expect(text).toContain(
      `\n## Acceptance Criteria (2, in order ac-1..ac-2)\n\n${CRITERIA}\n\n## Scope Conditions\n\n- one machine\n`,
    );
    const above = text.slice(0, text.indexOf('\n## Provenance\n'));
    expect(text).toContain(`\n- prompt_hash: sha256:${sha256(above)}\n`);
    const judged = above.slice(above.indexOf('## Rubric'), above.length - 1);
    expect(text).toContain(`\n- rubric_hash: sha256:${sha256(judged)}\n`);
  });

  test('exempts its receipt and hash lines by their place, and nothing else.', async () => {
    const { prepared, receipt } = await composeAudit(filesAt(made.head), 'itd-7', range());
    const origin = prepared.get('request')?.[0]?.origin;
    if (origin?.kind !== 'text') throw new Error('no text');
    const exempt = (origin.exempt ?? []).map(({ start, end }) =>
      Buffer.from(origin.bytes.subarray(start, end)).toString(),
    );
    expect(exempt[0]).toBe(`# Fidelity review request — ${receipt}\n\n- receipt_id: ${receipt}`);
    expect(exempt[1]).toMatch(/^- rubric_hash: sha256:[0-9a-f]{64}\n- prompt_hash: sha256:[0-9a-f]{64}$/);
    expect(exempt).toHaveLength(2);
  });

  test('takes the intent’s own spec where none is closed.', async () => {
    made.git(['rm', '-q', `${SPECS}/closed/spc-2-first.md`, `${SPECS}/closed/spc-10-second.md`]);
    const head = commitOnTop({ [`${SPECS}/open/spc-2-again.md`]: '# Again\n' });
    const { prepared } = await composeAudit(filesAt(head), 'itd-7', range());
    expect(prepared.get('specs')?.map(({ path }) => Buffer.from(path ?? []).toString())).toEqual([
      `${SPECS}/open/spc-2-again.md`,
    ]);
    made.git(['rm', '-q', `${SPECS}/open/spc-2-again.md`]);
    await expect(composeAudit(filesAt(commitOnTop({})), 'itd-7', range())).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      message: expect.stringContaining('spc-2'),
    });
  });

  test.each([
    ['itd-9', 'INPUT_MISSING', /planned\/itd-9-next\.md/],
    ['itd-99', 'INPUT_MISSING', /there is none/],
    ['itd-3', 'INPUT_MISSING', /Acceptance Criteria/],
    ['seven', 'USAGE', /itd-<digits>/],
    ['itd-7/../x', 'USAGE', /itd-<digits>/],
  ])('of %s is %s.', async (id, code, message) => {
    await expect(composeAudit(filesAt(made.head), id, range())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('names a record whose front matter does not read.', async () => {
    const head = commitOnTop({ [`${SPECS}/closed/spc-12-bad.md`]: '---\nintent: [unclosed\n---\n# Bad\n' });
    await expect(composeAudit(filesAt(head), 'itd-7', range())).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      message: expect.stringContaining('spc-12-bad.md'),
    });
  });

  test('reads the records of the commit, not of the work tree, and no link.', async () => {
    made.write(`${INTENTS}/shipped/itd-7-send-safely.md`, 'changed in the work tree\n');
    const first = await composeAudit(filesAt(made.head), 'itd-7', range());
    expect(textOf(first.prepared, 'request')).toContain(CRITERIA);
    made.git(['checkout', '-q', '--', '.']);
    made.remove(`${INTENTS}/shipped/itd-7-send-safely.md`);
    made.link(`${INTENTS}/shipped/itd-7-send-safely.md`, '../drafts/itd-10-later.md');
    await expect(composeAudit(filesAt(commitOnTop({})), 'itd-7', range())).rejects.toMatchObject({
      code: 'INPUT_MISSING',
    });
  });
});

describe('A consistency pass', () => {
  test('sends the request, every page of the brief, then what each living intent claims.', async () => {
    const composed = await composeConsistency(filesAt(made.head), null);
    const items = await readPlan(repository, { kind: 'intent_consistency', prepared: composed.prepared });
    expect(items.map(({ input, name, text }) => [input, name, text]).slice(1)).toEqual([
      ['corpus', `${BRIEF}/01-what.md`, '# What\n\nA sender.\n'],
      ['corpus', `${BRIEF}/parts/02-how.md`, '# How\n\nWith care.\n'],
      ['corpus', `${INTENTS}/drafts/itd-10-later.md`, '# Later\n\n## Decisions\n\nNone.\n'],
      [
        'corpus',
        `${INTENTS}/planned/itd-9-next.md`,
        '# Next\n\n## The Rule\n\nOne at a time.\n\n### Detail\n\nKept.\n',
      ],
      ['corpus', `${INTENTS}/shipped/itd-3-first.md`, '# First\n'],
      [
        'corpus',
        `${INTENTS}/shipped/itd-7-send-safely.md`,
        '# Send safely\n\n## Press Release\n\n> Files leave blanked.\n> Nothing else does.\n\n## What’s In Scope\n\n- blanking\n',
      ],
    ]);
    expect(composed.documents.map(({ suffix }) => suffix)).toEqual(['request.md', 'corpus.md']);
  });

  test('of one intent has its own receipt over the same corpus.', async () => {
    const whole = await composeConsistency(filesAt(made.head), null);
    const one = await composeConsistency(filesAt(made.head), 'itd-9');
    expect(one.receipt).not.toBe(whole.receipt);
    expect(one.documents[1]?.bytes).toEqual(whole.documents[1]?.bytes);
    expect(textOf(one.prepared, 'request')).toContain('- scope: itd-9\n');
    await expect(composeConsistency(filesAt(made.head), 'itd-1')).rejects.toMatchObject({ code: 'INPUT_MISSING' });
  });

  test('without any record is INPUT_MISSING.', async () => {
    made.git(['rm', '-rq', '.abcd']);
    const head = commitOnTop({});
    await expect(composeConsistency(filesAt(head), null)).rejects.toMatchObject({ code: 'INPUT_MISSING' });
  });
});

describe('A changelog', () => {
  test('sends the cut, then the file of each record that came.', async () => {
    const { prepared, range: revisions } = await composeChangelog(
      repository,
      { from: 'v0.3.1', to: null },
      isWithheld,
      signal,
    );
    expect(revisions).toEqual(range());
    expect(JSON.parse(textOf(prepared, 'cut'))).toEqual({
      next_tag: 'v0.3.2',
      base_tag: 'v0.3.1',
      added: [
        {
          id: 'itd-7',
          path: `${INTENTS}/shipped/itd-7-send-safely.md`,
          impact: 'additive',
          title: 'Send safely',
          summary: 'Files leave blanked. Nothing else does.',
          in_changelog: true,
          in_press_release: true,
        },
        {
          id: 'iss-5',
          path: `${ISSUES}/resolved/iss-5-slow.md`,
          impact: 'internal',
          title: 'Slow',
          summary: 'Faster now.',
          in_changelog: false,
          in_press_release: false,
        },
      ],
      removed: [
        {
          id: 'iss-4',
          path: `${ISSUES}/resolved/iss-4-crash.md`,
          impact: 'fix',
          title: 'crash',
          summary: 'It no longer ends early.',
          in_changelog: true,
          in_press_release: false,
        },
      ],
    });
    expect(prepared.get('records')?.map(({ path }) => Buffer.from(path ?? []).toString())).toEqual([
      `${INTENTS}/shipped/itd-7-send-safely.md`,
      `${ISSUES}/resolved/iss-5-slow.md`,
    ]);
  });

  test('knows a record that moved, and an empty cut.', async () => {
    made.git(['mv', `${ISSUES}/resolved/iss-5-slow.md`, `${ISSUES}/resolved/iss-5-renamed.md`]);
    const head = commitOnTop({});
    const { prepared } = await composeChangelog(repository, { from: made.head, to: head }, isWithheld, signal);
    expect(JSON.parse(textOf(prepared, 'cut'))).toEqual({ base_tag: made.head, added: [], removed: [] });
  });

  test('of a revision that is none is NO_RANGE.', async () => {
    await expect(composeChangelog(repository, { from: 'v9', to: null }, isWithheld, signal)).rejects.toMatchObject({
      code: 'NO_RANGE',
      message: expect.stringContaining('--route release-changelog-composer=host-decides'),
    });
  });
});
