/**
 * The first look at a text: bytes that may begin an escape, and runs of encoded characters that are worth a closer look.
 * It reads every byte of every item, so it exists twice: here in plain TypeScript, which says what it means and serves
 * short texts, and in WebAssembly (`wasm/candidates.as.ts`), which reads 16 bytes at once. Both give the same lists.
 */
import { findEncodedRuns } from './encoded-runs.js';
import { mayJoin } from './may-join.js';
import { findHexText, holdsBase64Text } from './text-stretches.js';
import { mayWrap } from './wrapped-runs.js';

export interface Candidates {
  /** Offsets in ascending order of bytes that, with the byte behind them, may begin an escape; quotes that may join. */
  readonly triggers: ArrayLike<number>;
  /** Start and end of each run of at least `LEAST_RUN_BYTES` for which `mayHoldText` is true, in ascending order. */
  readonly runs: ArrayLike<number>;
  readonly isAscii: boolean;
  readonly holdsZero: boolean;
  /** The byte that begins the colour codes of a terminal. */
  readonly holdsEscapeByte: boolean;
  /** Four dashes in a row, as in every frame line of a key block. */
  readonly holdsDashes: boolean;
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

/** Whether a run decodes to text somewhere, or may with the lines that follow it. Names, paths and hashes mostly do not. */
export const mayHoldText = (bytes: Uint8Array, start: number, end: number): boolean =>
  mayWrap(bytes, start, end) || holdsBase64Text(bytes, start, end) || findHexText(bytes, start, end).length > 0;

/** The runs, starts and ends one after the other, that may hold text. */
const worthOf = (text: Uint8Array, runs: readonly number[]): number[] => {
  const worth: number[] = [];
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] ?? 0;
    const end = runs[i + 1] ?? 0;
    if (mayHoldText(text, start, end)) worth.push(start, end);
  }
  return worth;
};

const ESCAPE_BYTE = 0x1b;
const DASH = 0x2d;
const FRAME_DASHES = 4;

const isTrigger = (text: Uint8Array, at: number, form: number): boolean =>
  ((FORMS_BEFORE[text[at + 1] ?? 0] ?? 0) & form) !== 0 && (form !== QUOTE || mayJoin(text, at));

export const findCandidates: FindCandidates = (text) => {
  const triggers: number[] = [];
  let seen = 0;
  let holdsZero = false;
  let holdsEscapeByte = false;
  let holdsDashes = false;
  let dashes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text[at] ?? 0;
    seen |= code;
    if (code === 0) holdsZero = true;
    if (code === ESCAPE_BYTE) holdsEscapeByte = true;
    dashes = code === DASH ? dashes + 1 : 0;
    if (dashes === FRAME_DASHES) holdsDashes = true;
    const form = TRIGGER_FORMS[code] ?? 0;
    if (form !== 0 && isTrigger(text, at, form)) triggers.push(at);
  }
  const runs = worthOf(text, findEncodedRuns(text));
  return { triggers, runs, isAscii: seen < 0x80, holdsZero, holdsEscapeByte, holdsDashes };
};
