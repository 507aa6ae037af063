/**
 * Reports in parts that are written one after the other. One file may hold hundreds of thousands of findings, whose text
 * at once would take more memory than the scan of it.
 */
import type { FileReport } from '../app/scan/scan-report.js';

const PART_FINDINGS = 4096;

/** The same findings in the same order, at most `most` in a part; one part where there are no more. */
export function* reportParts(
  reports: readonly FileReport[],
  most = PART_FINDINGS,
): Generator<readonly FileReport[], void, undefined> {
  const count = reports.reduce((sum, { findings }) => sum + findings.length, 0);
  if (count <= most) {
    yield reports;
    return;
  }
  for (const report of reports) {
    const { findings } = report;
    for (let at = 0; at < findings.length; at += most) yield [{ ...report, findings: findings.slice(at, at + most) }];
  }
}
