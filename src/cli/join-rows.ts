/** Findings as elements of one JSON list, written file by file: a comma before each but the first of the whole report. */
import type { FileReport, ReportFinding } from '../app/scan/scan-report.js';

/** `row` makes a finding's JSON value; `lead` stands before each element, behind its comma. One a report. */
export const joinRows = (
  row: (finding: ReportFinding) => Readonly<Record<string, unknown>>,
  lead = '',
): ((reports: readonly FileReport[]) => string) => {
  let isFirst = true;
  return (reports) =>
    reports
      .flatMap(({ findings }) => findings)
      .map((finding) => {
        const comma = isFirst ? '' : ',';
        isFirst = false;
        return `${comma}${lead}${JSON.stringify(row(finding))}`;
      })
      .join('');
};
