/**
 * A JSON array with the member names that gitleaks writes, so that what reads its reports reads this one. `Match` and
 * `Secret` never hold a value, and `Fingerprint` is ours: what `coldseal.allow` takes.
 */
import type { ReportFinding } from '../app/scan/scan-report.js';
import { joinRows } from './join-rows.js';
import type { ReportWriter } from './report-writer.js';

const REDACTED = 'REDACTED';

const row = (finding: ReportFinding): Readonly<Record<string, unknown>> => ({
  Description: finding.description,
  StartLine: finding.startLine,
  EndLine: finding.endLine,
  StartColumn: finding.startColumn,
  EndColumn: finding.endColumn,
  Match: REDACTED,
  Secret: REDACTED,
  File: finding.file,
  SymlinkFile: '',
  Commit: finding.commit?.id ?? '',
  Entropy: finding.entropy ?? 0,
  Author: finding.commit?.author ?? '',
  Email: finding.commit?.email ?? '',
  Date: finding.commit?.date ?? '',
  Message: '',
  Tags: [finding.kind, finding.severity],
  RuleID: finding.rule,
  Fingerprint: finding.fingerprint ?? '',
  ...(finding.otherFingerprints.length === 0 ? {} : { OtherFingerprints: finding.otherFingerprints }),
});

export const jsonReport = (): ReportWriter => {
  return {
    begin: () => '[',
    files: joinRows(row, '\n'),
    end: () => '\n]\n',
  };
};
