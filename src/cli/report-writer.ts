/** How a scan's report is written: in pieces, as files are scanned, so that its size costs no memory. */
import type { FileReport } from '../app/scan/scan-report.js';
import type { ColdsealError } from '../contract/error.js';

export interface ScanSummary {
  readonly files: number;
  readonly bytes: number;
  readonly findings: number;
  readonly filesWithFindings: number;
  readonly unscanned: readonly UnscannedFile[];
  /** What ended the scan early or leaves it incomplete. */
  readonly refusal: ColdsealError | null;
  /** Digest of everything that decides a finding. */
  readonly rulesDigest: string;
}

export type UnscannedFile = NonNullable<FileReport['unscanned']> & { readonly file: string };

export interface ReportWriter {
  begin(): string;
  files(reports: readonly FileReport[]): string;
  end(summary: ScanSummary): string;
}
