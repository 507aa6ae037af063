/**
 * What is blanked: one text of a bundle with the spans that must not leave.
 *
 * Item names, item texts and the system message are the same thing here, in one list in the order of the framed bytes, so
 * that scanning, echo, numbers and blanking each have one path and none of them can forget a name.
 */
import type { Family, Severity, Span } from '../contract/finding.js';

/** A span to blank, with what its placeholder and its row in the record say. No member holds text. */
export interface KnownSpan extends Span {
  readonly kind: string;
  readonly family: Family;
  readonly severity: Severity;
  readonly ruleId: string;
  /** 1-based line of `start`; 0 in a name. */
  readonly line: number;
  /** Which value stands here: equal values share it (`createValueTable`). */
  readonly valueId: number;
}

/** `head`: a string of a reading's document around its items; `field`: one beside an item's text. */
type TextPart = 'head' | 'name' | 'field' | 'text' | 'system' | 'deleted';

export interface BundleText {
  /** `itm-0001`; `document`; `system`; `deleted` for the name of a deleted file, which is printed and never framed. */
  readonly item: string;
  readonly part: TextPart;
  /** Over a SharedArrayBuffer while threads look at it. Never written to. */
  readonly bytes: Uint8Array;
  /** In a diff each further line of a blanked span keeps its first character, the sign. */
  readonly keepsSigns: boolean;
  /** Lines this program composed (receipts, hashes) where nothing is blanked: an exemption by position. Sorted. */
  readonly exempt: readonly Span[];
  /** Sorted by start, not overlapping, inside `bytes`. */
  readonly spans: readonly KnownSpan[];
}

const NUMBERED = /^(?:token|pem):/;

/** Values that cannot be guessed get a number; identity, network and private values would become an equality oracle. */
export const isNumbered = (kind: string): boolean => NUMBERED.test(kind);
