/**
 * Files of any source through the scanner, several batches at once, reports in the source's order. Nothing is skipped in
 * silence: each file is scanned whole or named with the reason why not.
 */
import { blankedChunks } from '../../bundle/blank.js';
import type { BundleText } from '../../bundle/bundle-text.js';
import { numberValues } from '../../bundle/number-values.js';
import { ColdsealError } from '../../contract/error.js';
import type { Observe } from '../../contract/observer.js';
import { printablePath } from '../../contract/printable-path.js';
import type { Repository } from '../../contract/repository.js';
import { openAddedLines } from './added-lines.js';
import { type ScanText, scanTextOf } from './blank-bytes.js';
import { inOrder } from './in-order.js';
import { looksBinary } from './looks-binary.js';
import { packTexts } from './pack-texts.js';
import type { ReportFacts } from './report-facts.js';
import { reportFindings } from './report-findings.js';
import type { FileReport } from './scan-report.js';
import type { ScanSession } from './scan-session.js';
import {
  binaryDetail,
  LARGEST_TEXT_BYTES,
  type SourceBatch,
  type SourceEntry,
  type TakeShared,
} from './scan-source.js';
import { type SettledText, settleTexts } from './settle-texts.js';

export interface FileScan {
  readonly session: ScanSession;
  readonly facts: ReportFacts;
  readonly observe: Observe;
  /** Scan what is no text, too, as its bytes. */
  readonly includesBinary: boolean;
}

type TextEntry = Extract<SourceEntry, { kind: 'text' }>;
const NO_BYTES = new Uint8Array(new SharedArrayBuffer(0));

type Settled = Extract<SettledText, { ok: true }>;

/** Reports of one batch at a time. */
export const scanFiles = (
  scan: FileScan,
  batches: AsyncIterable<SourceBatch> | Iterable<SourceBatch>,
): AsyncGenerator<readonly FileReport[], void, undefined> => {
  scan.observe({ kind: 'stage', stage: 'scan' });
  return inOrder(batches, (batch) => scanBatch(scan, batch), scan.session.bounds);
};

const scanBatch = async (scan: FileScan, batch: SourceBatch): Promise<readonly FileReport[]> => {
  const lease = scan.session.arena.lease();
  try {
    const reports = await scanEntries(scan, await batch.load(lease.take), lease.take);
    const findings = reports.reduce((sum, report) => sum + report.findings.length, 0);
    scan.observe({ kind: 'scanned', items: reports.length, bytes: batch.bytes, blankedBytes: 0, findings });
    return reports;
  } finally {
    lease.release();
  }
};

const scanEntries = async (
  scan: FileScan,
  entries: readonly SourceEntry[],
  take: TakeShared,
): Promise<readonly FileReport[]> => {
  const names = packTexts(
    entries.map(({ path }) => Buffer.from(printablePath(path))),
    take,
  );
  const texts = entries.map((entry) =>
    entry.kind === 'text' && (scan.includesBinary || !looksBinary(entry.bytes)) ? scanTextOf(entry.bytes, take) : null,
  );
  // Names stand in one memory and most files in another; each travel together.
  const settled = await settleTexts(
    scan.session,
    [
      ...names.map((name) => ({ item: 'a file’s name', bytes: name })),
      ...texts.map((text) => ({ item: 'a file', bytes: text?.text ?? NO_BYTES })),
    ],
    false,
  );
  const reports: FileReport[] = [];
  for (const [index, entry] of entries.entries()) {
    reports.push(await reportOf(scan, entry, texts[index] ?? null, settled[index], settled[entries.length + index]));
  }
  return reports;
};

const shown = (name: SettledText | undefined, path: Uint8Array): { file: string; own: Settled | null } => {
  // Where even the name could not be scanned it is not shown.
  if (name?.ok !== true) return { file: '[withheld]', own: null };
  const spans = name.text.spans.filter(({ family }) => family === 'secret' || family === 'private');
  if (spans.length === 0) return { file: printablePath(path), own: null };
  const text: BundleText = { ...name.text, spans };
  const numbers = numberValues([text]);
  const parts = [...blankedChunks(text, numbers)].map(({ bytes }) => Buffer.from(bytes));
  return { file: Buffer.concat(parts).toString('utf8'), own: { ...name, text, numbers } };
};

const reportOf = async (
  { session, facts }: FileScan,
  entry: SourceEntry,
  scanText: ScanText | null,
  name: SettledText | undefined,
  settled: SettledText | undefined,
): Promise<FileReport> => {
  const { file, own } = shown(name, entry.path);
  const bytes = entry.kind === 'text' ? entry.bytes.length : 0;
  const inName = own === null ? [] : reportFindings(facts, own, { file, isName: true, commit: null });
  const unscanned = (reason: NonNullable<FileReport['unscanned']>['reason'], detail: string): FileReport => ({
    file,
    bytes,
    findings: inName,
    unscanned: { reason, detail },
  });
  if (entry.kind === 'unscanned') return unscanned(entry.reason, entry.detail);
  if (scanText === null) return unscanned('binary', binaryDetail(bytes));
  if (settled === undefined || !settled.ok) {
    return unscanned('scan-failed', settled?.error.message.replace(/^a file /, '') ?? 'it was not answered');
  }
  const commit = entry.brought?.commit ?? null;
  const note = commit === null || settled.text.spans.length === 0 ? null : await facts.commit(commit);
  const found = reportFindings(facts, settled, { file, isName: false, commit: note });
  return { file, bytes, findings: [...inName, ...(await onlyNew(session, entry, scanText, found))], unscanned: null };
};

/**
 * Of what git brings, only findings on lines that were not there before. A text that is too large to compare with tells of
 * no line that it was there.
 */
const onlyNew = async (
  { repository }: ScanSession,
  { brought }: TextEntry,
  { text }: ScanText,
  found: FileReport['findings'],
): Promise<FileReport['findings']> => {
  if (brought === null || brought.before.length === 0 || found.length === 0 || repository === null) return found;
  const lines = openAddedLines(text, found);
  for (const objectId of brought.before) {
    const before = await readBefore(repository, objectId);
    if (before !== null) lines.tellBefore(scanTextOf(before).text);
  }
  return found.filter((place) => lines.touches(place));
};

const readBefore = async (repository: Repository, objectId: string): Promise<Uint8Array | null> => {
  try {
    return await repository.readBlob(objectId, LARGEST_TEXT_BYTES);
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'ITEM_TOO_LARGE') return null;
    throw error;
  }
};
