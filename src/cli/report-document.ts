/** The one document of `scan --json`. Findings come first, so that it can be written while files are scanned. */
import type { ReportFinding } from '../app/scan/scan-report.js';
import { joinRows } from './join-rows.js';
import type { ReportWriter } from './report-writer.js';

const findingRow = (finding: ReportFinding): Readonly<Record<string, unknown>> => ({
  file: finding.file,
  ...(finding.place === null
    ? { in_name: true }
    : {
        line: finding.startLine,
        column: finding.startColumn,
        end_line: finding.endLine,
        end_column: finding.endColumn,
        start: finding.place.start,
        end: finding.place.end,
      }),
  rule: finding.rule,
  kind: finding.kind,
  severity: finding.severity,
  description: finding.description,
  ...(finding.fingerprint === null ? {} : { fingerprint: finding.fingerprint }),
  ...(finding.otherFingerprints.length === 0 ? {} : { other_fingerprints: finding.otherFingerprints }),
  ...(finding.commit === null
    ? {}
    : { commit: finding.commit.id, author: finding.commit.author, date: finding.commit.date }),
});

export const documentReport = (): ReportWriter => {
  return {
    begin: () => '{"findings":[',
    files: joinRows(findingRow),
    end: ({ files, bytes, findings, unscanned, refusal, rulesDigest }) => {
      const rest = {
        outcome: refusal === null ? 'scanned' : 'refused',
        ...(refusal === null ? {} : { code: refusal.code, message: refusal.message }),
        counts: { findings, files, bytes, unscanned: unscanned.length },
        unscanned: unscanned.map(({ file, reason, detail }) => ({ file, reason, detail })),
        rules: rulesDigest,
      };
      return `],${JSON.stringify(rest).slice(1)}\n`;
    },
  };
};
