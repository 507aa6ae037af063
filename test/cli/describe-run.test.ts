import { describe, expect, it } from 'vitest';
import { describeRun } from '../../src/cli/describe-run.js';
import { CODES } from '../../src/contract/codes.js';
import type { RecordRow, RowBody } from '../../src/contract/record.js';
import { BUNDLE, END, START } from '../record/rows.js';

const SUMMARY = {
  id: 'rec-x',
  time: 't1',
  verb: 'review',
  outcome: 'sent',
  code: null,
  agent: 'change-reviewer',
  kind: 'change_review',
  project: null,
  provider: 'acme',
  model: 'large-1',
  items: 2,
  bytes: 1400,
  blanked: 1,
  attempts: 3,
} as const;

const rowOf = (body: RowBody, time: string): RecordRow => ({ v: 1, id: 'rec-x', time, prev: '', hash: '', ...body });
const attempt = (number: number, bundle = BUNDLE): RowBody =>
  START.event === 'start' ? { ...START, attempt: number, bundle } : START;

describe('a recorded run for a person', () => {
  it('has its bundle once however often it was sent, each attempt and the end with its figures', () => {
    const rows = [attempt(1), attempt(2), attempt(3), END].map((body, at) => rowOf(body, `t${at + 1}`));
    const lines = describeRun({ summary: SUMMARY, rows });
    expect(lines.filter((line) => line.startsWith('bundle '))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('itm-0001  diff'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('attempt'))).toEqual(
      [1, 2, 3].map((at) => `attempt   ${at} at t${at}`),
    );
    expect(lines.find((line) => line.startsWith('end'))).toMatch(/^end {7}t4: .*finish reason stop, prompt tokens 400/);
  });

  it('counts one item as one item', () => {
    const one = { ...BUNDLE, items: BUNDLE.items.slice(0, 1), blanked: [] };
    const lines = describeRun({ summary: SUMMARY, rows: [rowOf(attempt(1, one), 't')] });
    expect(lines.join('\n')).toMatch(/^bundle {4}1 item, 1,400 bytes of 4,194,304 \(default\)/m);
    expect(lines.at(-1)).toBe('blanked   nothing');
  });

  it('says of a refusal what its code means, what changes it, and the facts it was judged by', () => {
    const refused: RowBody = {
      event: 'refused',
      verb: 'review',
      code: 'OVER_CAP',
      facts: { bytes: 2001, at_least: true, cap: 2000, command: 'coldseal cap 1MiB' },
      route: null,
      kind: 'change_review',
      project: null,
    };
    const summary = { ...SUMMARY, outcome: 'refused', code: 'OVER_CAP' } as const;
    const lines = describeRun({ summary, rows: [rowOf(refused, 't')] });
    expect(lines).toContain(`what      ${CODES.OVER_CAP.meaning}`);
    expect(lines).toContain(`way out   ${CODES.OVER_CAP.wayOut}`);
    expect(lines).toContain('facts     bytes 2001, at_least true, cap 2000, command coldseal cap 1MiB');
  });

  it('says the same of a provider that failed, and nothing of the kind where the answer came', () => {
    const end: RowBody = END.event === 'end' ? { ...END, outcome: 'provider_failed', code: 'PROVIDER_EMPTY' } : END;
    const summary = { ...SUMMARY, outcome: 'provider_failed', code: 'PROVIDER_EMPTY' } as const;
    const failed = describeRun({ summary, rows: [rowOf(attempt(1), 't1'), rowOf(end, 't2')] });
    expect(failed).toContain(`way out   ${CODES.PROVIDER_EMPTY.wayOut}`);
    const sent = describeRun({ summary: SUMMARY, rows: [rowOf(attempt(1), 't1'), rowOf(END, 't2')] });
    expect(sent.filter((line) => /^(what|way out|facts) /.test(line))).toEqual([]);
  });
});
