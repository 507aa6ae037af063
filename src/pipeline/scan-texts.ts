/**
 * Texts through the scanner, in any order, each to its end or not at all: a text without an answer, with an answer that
 * looked at less than its bytes, or with a bound reached, refuses the run. There is no skip.
 */

import { ColdsealError } from '../contract/error.js';
import type { Finding } from '../contract/finding.js';
import type { ScanProfile } from '../contract/rule.js';
import type { ScannedInput, Scanner, ScanOutcome, SecretValue } from '../contract/scan.js';
import type { ListedText, TextBatch } from './batch-texts.js';

/** What the scanner said of one text, without what the owner allowed. */
export interface Heard {
  readonly findings: readonly Finding[];
  readonly values: readonly SecretValue[];
  readonly scannedBytes: number;
}

export interface ScanWork {
  readonly scanner: Scanner;
  readonly profile: ScanProfile;
  /** True for a value that the owner allowed under this rule, by fingerprint. */
  readonly isAllowed: (ruleId: string, value: Uint8Array) => boolean;
}

/** A text as a refusal names it: its id for the record, and in words that hold no finding. */
export interface NamedText {
  readonly item: string;
  readonly shown: string;
}

export const NOTHING_HEARD: Heard = { findings: [], values: [], scannedBytes: 0 };

/**
 * Sends one batch and gives each of its texts what was heard. `nameOf` says how a refusal names a text. `signal` drops it
 * where nobody waits for it any more.
 */
export const scanBatch = async (
  work: ScanWork,
  batch: TextBatch,
  nameOf: (ref: number) => NamedText,
  signal?: AbortSignal,
): Promise<ReadonlyMap<ListedText['ref'], Heard>> => {
  const { buffer, inputs } = batch;
  const reply = await work.scanner.scan({ task: 'scan', buffer, inputs, profile: work.profile }, signal);
  const outcomes = new Map(reply.outcomes.map((outcome) => [outcome.ref, outcome]));
  return new Map(
    batch.inputs.map(({ ref, length }) => {
      const outcome = wholeOutcome(outcomes.get(ref), length, nameOf(ref));
      return [ref, withoutAllowed(outcome, work.isAllowed)];
    }),
  );
};

const wholeOutcome = (outcome: ScanOutcome | undefined, length: number, name: NamedText): ScannedInput => {
  if (outcome === undefined) throw refuse(name, 'engine-fault', 'the scanner gave no answer for it');
  if (!outcome.ok) throw refuse(name, outcome.bound, outcome.detail);
  if (outcome.scannedBytes < length) {
    throw refuse(name, 'engine-fault', `${outcome.scannedBytes} of its ${length} bytes were looked at`);
  }
  const isOutside = ({ start, end, valueIndex }: Finding): boolean =>
    !(start >= 0 && start < end && end <= length) || outcome.values[valueIndex] === undefined;
  if (outcome.findings.some(isOutside)) throw refuse(name, 'engine-fault', 'a finding stands outside it');
  return outcome;
};

const refuse = (name: NamedText, bound: string, detail: string): ColdsealError =>
  new ColdsealError(
    'SCAN_FAILED',
    `${name.shown} could not be scanned to its end (${bound}: ${detail}). Withhold it with \`coldseal withhold add GLOB\`, or report the bound.`,
    { facts: { item: name.item, bound } },
  );

const withoutAllowed = (outcome: ScannedInput, isAllowed: ScanWork['isAllowed']): Heard => ({
  findings: outcome.findings.filter(({ ruleId, valueIndex }) => {
    const value = outcome.values[valueIndex];
    return value === undefined || !isAllowed(ruleId, value.bytes);
  }),
  values: outcome.values,
  scannedBytes: outcome.scannedBytes,
});
