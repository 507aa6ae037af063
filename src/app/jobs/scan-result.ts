/**
 * What a scan job found, as text in the queue: names, rules and places, never a value, a hash of one or its entropy. The
 * fingerprint of `scan --format json` is left out too: it is keyed with a machine's own key and means nothing elsewhere.
 */
import { z } from 'zod';
import { ColdsealError } from '../../contract/error.js';
import { LARGEST_RESULT_BYTES } from '../../contract/job.js';
import type { FileReport, ReportFinding } from '../scan/scan-report.js';

const whole = z.int().min(0);

const findingShape = z.strictObject({
  file: z.string(),
  rule: z.string(),
  kind: z.string(),
  severity: z.enum(['block', 'warn']),
  start_line: whole,
  end_line: whole,
  start_column: whole,
  end_column: whole,
  /** In the text's bytes; `null` for a finding in a file's name. */
  start: whole.nullable(),
  end: whole.nullable(),
  commit: z.string().nullable(),
});

const resultShape = z.strictObject({
  files: whole,
  bytes: whole,
  findings: z.array(findingShape),
  unscanned: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
});

export type ScanResult = z.output<typeof resultShape>;

export const emptyResult = (): ScanResult => ({ files: 0, bytes: 0, findings: [], unscanned: [] });

const rowOf = (finding: ReportFinding): ScanResult['findings'][number] => ({
  file: finding.file,
  rule: finding.rule,
  kind: finding.kind,
  severity: finding.severity,
  start_line: finding.startLine,
  end_line: finding.endLine,
  start_column: finding.startColumn,
  end_column: finding.endColumn,
  start: finding.place?.start ?? null,
  end: finding.place?.end ?? null,
  commit: finding.commit?.id ?? null,
});

/** Adds the reports of one batch, in order. */
export const addReports = (result: ScanResult, reports: readonly FileReport[]): void => {
  for (const { file, bytes, findings, unscanned } of reports) {
    result.files += 1;
    result.bytes += bytes;
    for (const finding of findings) result.findings.push(rowOf(finding));
    if (unscanned !== null) result.unscanned.push({ file, reason: unscanned.reason });
  }
};

/** `JOB_TOO_LARGE` where the queue would have to hold too much. */
export const resultText = (result: ScanResult): string => {
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_RESULT_BYTES) return text;
  throw new ColdsealError(
    'JOB_TOO_LARGE',
    `what the scan found has ${bytes} bytes; the queue takes ${LARGEST_RESULT_BYTES} of one job. Use more shards.`,
    { facts: { bytes, limit_bytes: LARGEST_RESULT_BYTES } },
  );
};

/** `null` for a text that is no result of this build's. */
export const readResult = (text: string): ScanResult | null => {
  try {
    return resultShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

/** Results of all shards in shard order: what one scan of the whole says. */
export const mergeResults = (results: readonly ScanResult[]): ScanResult => ({
  files: results.reduce((sum, { files }) => sum + files, 0),
  bytes: results.reduce((sum, { bytes }) => sum + bytes, 0),
  findings: results.flatMap(({ findings }) => findings),
  unscanned: results.flatMap(({ unscanned }) => unscanned),
});
