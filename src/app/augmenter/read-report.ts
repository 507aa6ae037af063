/** The external scanner's report: a JSON list with gitleaks' member names, of which five are read. */
import { z } from 'zod';
import { degraded } from './run-augmenter.js';

export interface AugmenterRow {
  /** As a rule's id of ours: `augmenter.` and theirs, where theirs is a plain name. */
  readonly ruleId: string;
  readonly secret: string;
  readonly match: string;
  /** 1-based, of the text it was given. */
  readonly startLine: number;
  readonly endLine: number;
}

/** A report of more rows is no report of secrets. */
const MOST_ROWS = 10_000;
const PLAIN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const line = z.number().int().min(0);
const report = z.array(
  z.object({ RuleID: z.string(), Secret: z.string(), Match: z.string(), StartLine: line, EndLine: line }),
);

/** `SCANNER_DEGRADED` for anything that is no such list. Nothing of it is quoted. */
export const readAugmenterReport = (output: Buffer): readonly AugmenterRow[] => {
  const rows = report.safeParse(parsed(output));
  if (!rows.success) throw degraded('answered something that is no report of gitleaks’ form');
  if (rows.data.length > MOST_ROWS) throw degraded(`reported more than ${MOST_ROWS} findings in one batch`);
  return rows.data.map(({ RuleID: rule, Secret: secret, Match: match, StartLine: startLine, EndLine: endLine }) => {
    if (secret === '' && match === '') throw degraded('reported a finding without a text');
    if (endLine < startLine) throw degraded('reported a finding that ends before it starts');
    return {
      ruleId: `augmenter.${nameOf(rule, secret)}`,
      secret: secret === '' ? match : secret,
      match,
      startLine,
      endLine,
    };
  });
};

/** A rule's name goes into the record; one that could hold a value does not. */
const nameOf = (rule: string, secret: string): string =>
  PLAIN_NAME.test(rule) && !(secret !== '' && rule.includes(secret.toLowerCase())) ? rule : 'other';

const parsed = (output: Buffer): unknown => {
  try {
    return JSON.parse(output.toString('utf8'));
  } catch {
    throw degraded('answered no JSON');
  }
};
