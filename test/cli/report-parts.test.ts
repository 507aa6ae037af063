/** A report of many findings is written in parts, and says what it says in one. */
import { describe, expect, it } from 'vitest';
import type { FileReport, ReportFinding } from '../../src/app/scan/scan-report.js';
import { jsonReport } from '../../src/cli/report-json.js';
import { reportParts } from '../../src/cli/report-parts.js';

const finding = (file: string, at: number): ReportFinding => ({
  file,
  commit: null,
  rule: 'a-rule',
  kind: 'token:a',
  severity: 'block',
  description: 'A token.',
  place: { start: at, end: at + 1 },
  fingerprint: `fp-${at}`,
  otherFingerprints: [],
  entropy: 4,
  ...{ startLine: at, endLine: at, startColumn: 1, endColumn: 1, startUnit: 1, endUnit: 2 },
});

const report = (file: string, findings: number): FileReport => ({
  file,
  bytes: 100,
  findings: Array.from({ length: findings }, (_, at) => finding(file, at)),
  unscanned: null,
});

const MANY = [report('a', 3), report('b', 0), report('c', 11)];

describe('the parts of a report', () => {
  it('hold no more findings than a part may, every one of them and in order', () => {
    const parts = [...reportParts(MANY, 5)];
    for (const part of parts) expect(part.flatMap(({ findings }) => findings).length).toBeLessThanOrEqual(5);
    expect(parts.flat().flatMap(({ findings }) => findings)).toEqual(MANY.flatMap(({ findings }) => findings));
  });

  it('are one where there are no more than a part may hold', () => {
    expect([...reportParts(MANY, 14)]).toEqual([MANY]);
  });

  it('are written as the whole is', () => {
    const [whole, parted] = [jsonReport(), jsonReport()];
    expect([...reportParts(MANY, 2)].map((part) => parted.files(part)).join('')).toBe(whole.files(MANY));
  });
});
