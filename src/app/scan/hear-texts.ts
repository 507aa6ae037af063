/**
 * Several texts through the scanner, each with its own end: what was heard, or why it could not be scanned. Unlike a
 * bundle, where one such text refuses the run, a scan of many files goes on and names it.
 */
import type { BundleText } from '../../bundle/bundle-text.js';
import { ColdsealError } from '../../contract/error.js';
import type { ScannedInput, ScanOutcome } from '../../contract/scan.js';
import { batchTexts } from '../../pipeline/batch-texts.js';
import type { Heard, ScanWork } from '../../pipeline/scan-texts.js';

export type HeardText =
  | { readonly ok: true; readonly heard: Heard }
  /** `SCAN_FAILED` naming the text and the bound. */
  | { readonly ok: false; readonly error: ColdsealError };

/** A text and the name that a refusal gives it. */
export type NamedText = Pick<BundleText, 'item' | 'bytes'>;

const NOTHING: HeardText = { ok: true, heard: { findings: [], values: [], scannedBytes: 0 } };

const refuse = (name: string, bound: string, detail: string): HeardText => ({
  ok: false,
  error: new ColdsealError('SCAN_FAILED', `${name} could not be scanned to its end (${bound}: ${detail})`, {
    facts: { bound },
  }),
});

const isWhole = ({ findings, values, scannedBytes }: ScannedInput, length: number): boolean =>
  scannedBytes >= length &&
  findings.every(
    ({ start, end, valueIndex }) => start >= 0 && start < end && end <= length && values[valueIndex] !== undefined,
  );

const judge = (outcome: ScanOutcome | undefined, { item, bytes }: NamedText, work: ScanWork): HeardText => {
  if (outcome === undefined) return refuse(item, 'engine-fault', 'the scanner gave no answer for it');
  if (!outcome.ok) return refuse(item, outcome.bound, outcome.detail);
  if (!isWhole(outcome, bytes.length)) return refuse(item, 'engine-fault', 'it was not looked at whole');
  const findings = outcome.findings.filter(({ ruleId, valueIndex }) => {
    const value = outcome.values[valueIndex];
    return value === undefined || !work.isAllowed(ruleId, value.bytes);
  });
  return { ok: true, heard: { findings, values: outcome.values, scannedBytes: outcome.scannedBytes } };
};

/** One answer a text, in order. Texts stand in shared memory; those that follow one another in it travel together. */
export const hearTexts = async (work: ScanWork, texts: readonly NamedText[]): Promise<readonly HeardText[]> => {
  const answers = new Map<number, HeardText>();
  const sent: Promise<void>[] = [];
  for (const { buffer, inputs } of batchTexts(texts.map((text, ref) => ({ ref, text })))) {
    const reply = work.scanner.scan({ task: 'scan', buffer, inputs, profile: work.profile });
    sent.push(
      reply.then(({ outcomes }) => {
        const byRef = new Map(outcomes.map((outcome) => [outcome.ref, outcome]));
        for (const { ref } of inputs) {
          const text = texts[ref];
          if (text !== undefined) answers.set(ref, judge(byRef.get(ref), text, work));
        }
      }),
    );
  }
  await Promise.all(sent);
  return texts.map((_, ref) => answers.get(ref) ?? NOTHING);
};
