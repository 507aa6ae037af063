/**
 * A scan's report from its source to standard output. It is written while files are scanned; a fault on the way ends it
 * as a whole document that says so, because half a document says nothing.
 */
import { openSource } from '../app/scan/open-source.js';
import { reportFacts } from '../app/scan/report-facts.js';
import { scanFiles } from '../app/scan/scan-files.js';
import type { FileReport } from '../app/scan/scan-report.js';
import { type ScanSession, withScanSession } from '../app/scan/scan-session.js';
import { INCOMPLETE_REASONS, type UnscannedReason } from '../app/scan/scan-source.js';
import { CODES, isRefusal, type RefusalCode } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import { showBytes, showCount, showNumber } from '../contract/show-amount.js';
import { openProgress, type RunProgress } from './open-progress.js';
import { documentReport } from './report-document.js';
import { htmlReport } from './report-html.js';
import { jsonReport } from './report-json.js';
import { reportParts } from './report-parts.js';
import { sarifReport } from './report-sarif.js';
import { textReport } from './report-text.js';
import type { ReportWriter, ScanSummary, UnscannedFile } from './report-writer.js';
import type { ReportFormat, ScanWords } from './scan-words.js';
import { createStyle } from './style.js';
import type { VerbContext } from './verb-context.js';

type ReportWords = Extract<ScanWords, { kind: 'report' }>;

const writerOf = (format: ReportFormat, { terminal }: VerbContext): ReportWriter => {
  switch (format) {
    case 'text':
      return textReport(createStyle(terminal.colour));
    case 'json':
      return jsonReport();
    case 'sarif':
      return sarifReport();
    case 'html':
      return htmlReport();
    case 'document':
      return documentReport();
    default:
      return format satisfies never;
  }
};

/** What is said of a scan so far. */
class Account {
  files = 0;
  bytes = 0;
  findings = 0;
  filesWithFindings = 0;
  readonly unscanned: UnscannedFile[] = [];

  add(reports: readonly FileReport[]): void {
    for (const { file, bytes, findings, unscanned } of reports) {
      this.findings += findings.length;
      this.filesWithFindings += findings.length > 0 ? 1 : 0;
      if (unscanned !== null) {
        this.unscanned.push({ file, ...unscanned });
        continue;
      }
      this.files += 1;
      this.bytes += bytes;
    }
  }
}

const REASON_CODES: Readonly<Partial<Record<UnscannedReason, RefusalCode>>> = {
  unreadable: 'ITEM_UNREADABLE',
  'too-large': 'ITEM_TOO_LARGE',
  'scan-failed': 'SCAN_FAILED',
};

/** What was asked for and not seen leaves the answer open, so the scan does not end as if it were clean. */
const incompleteness = (unscanned: readonly UnscannedFile[]): ColdsealError | null => {
  const missed = unscanned.filter(({ reason }) => INCOMPLETE_REASONS.has(reason));
  const [first] = missed;
  const code = first === undefined ? undefined : REASON_CODES[first.reason];
  if (first === undefined || code === undefined) return null;
  const more = missed.length === 1 ? '' : `, and ${showCount(missed.length - 1)} more`;
  return new ColdsealError(
    code,
    `${showCount(missed.length)} of the files asked for could not be scanned: ${first.file} (${first.detail})${more}. What was found in the others is reported.`,
    { facts: { unscanned: missed.length } },
  );
};

export const writeReport = async (context: VerbContext, words: ReportWords): Promise<number> => {
  const progress = openProgress(context);
  try {
    return await withScanSession({ ...context.surroundings, say: progress.say }, (session) =>
      writeFrom(context, words, session, progress),
    );
  } finally {
    progress.close();
  }
};

const writeFrom = async (
  context: VerbContext,
  { asked, format, findingsExit, includesBinary }: ReportWords,
  session: ScanSession,
  { say, observe, close }: RunProgress,
): Promise<number> => {
  const { terminal, surroundings } = context;
  const writer = writerOf(format, context);
  const source = await openSource(session, surroundings.folder, asked, includesBinary);
  const facts = await reportFacts({ ...surroundings, say }, session, format !== 'text');
  const account = new Account();
  let refusal: ColdsealError | null = null;
  await terminal.write(writer.begin());
  try {
    for await (const reports of scanFiles({ session, facts, observe, includesBinary }, source)) {
      account.add(reports);
      for (const part of reportParts(reports)) {
        const text = writer.files(part);
        if (text !== '') await terminal.write(text);
        if (terminal.isClosed()) break;
      }
      if (terminal.isClosed()) break;
    }
  } catch (error) {
    if (!(error instanceof ColdsealError) || !isRefusal(error.code)) throw error;
    refusal = error;
  }
  close();
  const summary: ScanSummary = {
    files: account.files,
    bytes: account.bytes,
    findings: account.findings,
    filesWithFindings: account.filesWithFindings,
    unscanned: account.unscanned,
    refusal: refusal ?? incompleteness(account.unscanned),
    rulesDigest: session.profile.digest,
  };
  await terminal.write(writer.end(summary));
  tellSummary(context, summary, format === 'document');
  if (refusal === null && summary.findings > 0 && findingsExit > 0) return findingsExit;
  return summary.refusal === null ? 0 : CODES[summary.refusal.code].exit;
};

const NAMED_UNSCANNED = 10;

const tellSummary = ({ flags, terminal }: VerbContext, summary: ScanSummary, isDocument: boolean): void => {
  const { files, bytes, findings, filesWithFindings, unscanned, refusal } = summary;
  if (!flags.quiet) {
    const named = flags.verbose ? unscanned : unscanned.slice(0, NAMED_UNSCANNED);
    for (const { file, reason, detail } of named) terminal.say(`coldseal: not scanned: ${file} (${reason}: ${detail})`);
    if (named.length < unscanned.length) {
      terminal.say(`coldseal: and ${showCount(unscanned.length - named.length)} more not scanned; -v names all`);
    }
    terminal.say(
      `coldseal: ${showNumber(findings, 'finding')} in ${showNumber(filesWithFindings, 'file')}; scanned ${showNumber(files, 'file')}, ${showBytes(bytes)}; not scanned ${showCount(unscanned.length)}`,
    );
  }
  if (refusal !== null && !isDocument) terminal.say(`refused (${refusal.code}): ${refusal.message}`);
};
