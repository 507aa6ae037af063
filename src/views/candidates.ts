/**
 * The first look at a text: bytes that may begin an escape, and runs of encoded characters. It reads every byte of every
 * item, so it exists twice: here in plain TypeScript, which says what it means and serves short texts, and in
 * WebAssembly (`wasm/candidates.as.ts`), which reads 16 bytes at once. Both give the same lists.
 */
import { findEncodedRuns } from './encoded-runs.js';

export interface Candidates {
  /** Offsets in ascending order of bytes that, with the byte behind them, may begin an escape. */
  readonly triggers: ArrayLike<number>;
  /** Start and end of each run of at least `LEAST_RUN_BYTES`, in ascending order. */
  readonly runs: ArrayLike<number>;
}

/** The lists are the caller's. */
export type FindCandidates = (text: Uint8Array) => Candidates;

/** A trigger's form; each is one bit, so that one table says which forms a following byte allows. */
export const PERCENT = 1;
export const BACKSLASH = 2;
export const AMPERSAND = 4;
export const EQUALS = 8;
export const QUOTE = 16;

const codes = (chars: string): number[] => [...chars].map((char) => char.charCodeAt(0));
const HEX_DIGITS = codes('0123456789abcdefABCDEF');
const LETTERS = codes('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
const PUNCTUATION = codes('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');

/** Form of each byte; 0 for most. */
export const TRIGGER_FORMS = new Uint8Array(256);
for (const [chars, form] of [
  ['%', PERCENT],
  ['\\', BACKSLASH],
  ['&', AMPERSAND],
  ['=', EQUALS],
  ['"\'`', QUOTE],
] as const) {
  for (const code of codes(chars)) TRIGGER_FORMS[code] = form;
}

/** Forms that may go on with each byte. */
export const FORMS_BEFORE = new Uint8Array(256);
for (const [form, following] of [
  [PERCENT, HEX_DIGITS],
  [BACKSLASH, [...codes('bfnrtveaxuU01234567\n\r'), ...PUNCTUATION, ...codes('89')]],
  [AMPERSAND, [...LETTERS, ...codes('#')]],
  [EQUALS, [...HEX_DIGITS, ...codes('\n\r')]],
  // The same quote, blanks, a line end, or an operator that joins texts.
  [QUOTE, codes(' \t\n\r"\'`\\+.&~|<^')],
] as const) {
  for (const code of following) FORMS_BEFORE[code] = (FORMS_BEFORE[code] ?? 0) | form;
}

export const findCandidates: FindCandidates = (text) => {
  const triggers: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const form = TRIGGER_FORMS[text[at] ?? 0] ?? 0;
    if (form !== 0 && ((FORMS_BEFORE[text[at + 1] ?? 0] ?? 0) & form) !== 0) triggers.push(at);
  }
  return { triggers, runs: findEncodedRuns(text) };
};
