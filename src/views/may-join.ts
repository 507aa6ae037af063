/**
 * Whether a string join may begin at a quote. Nearly every string of source code ends in a quote before a blank or a
 * line end, so this is asked before anything is read: it follows `readJoin`, but takes every sign at a line's start for a
 * diff's and reads a line end on either side of an operator, and so says yes somewhat too often and never no wrongly.
 *
 * `wasm/candidates.as.ts` asks the same; both give the same answer for every text.
 */
import { isBlank, isDigit, isLetter } from './byte-tables.js';
import { lineEndBytes } from './line-break.js';

/** Bytes behind the quote that may be read. */
export const JOIN_BYTES = 256;

/** `readJoin` skips at most 48, and one more in a line's first place. */
const BLANK_BYTES = 49;
const BACKSLASH = 0x5c;

/** Operators of one sign or of two equal ones. */
const SINGLE = 1;
/** Operators of two equal signs only. */
const DOUBLE = 2;
const OPERATORS = new Uint8Array(256);
for (const char of '+.&~^') OPERATORS[char.charCodeAt(0)] = SINGLE;
for (const char of '|<') OPERATORS[char.charCodeAt(0)] = DOUBLE;

const skipBlanks = (bytes: Uint8Array, at: number): number => {
  let on = at;
  while (on < at + BLANK_BYTES && isBlank(bytes[on] ?? 0)) on += 1;
  return on;
};

/** Behind blanks and, where a line ends there, the next line's sign and blanks. */
const skipGap = (bytes: Uint8Array, at: number): number => {
  const on = skipBlanks(bytes, at);
  const size = lineEndBytes(bytes, on);
  if (size === 0) return on;
  const next = on + size;
  const isSigned = bytes[next] === 0x2b || bytes[next] === 0x2d;
  return skipBlanks(bytes, isSigned ? next + 1 : next);
};

const skipOperator = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first === BACKSLASH) return lineEndBytes(bytes, at + 1) > 0 ? at + 1 : at;
  const form = OPERATORS[first] ?? 0;
  if (form === 0) return at;
  return bytes[at + 1] === first ? at + 2 : at + (form === SINGLE ? 1 : 0);
};

/** @param at of a quote */
export const mayJoin = (bytes: Uint8Array, at: number): boolean => {
  const quote = bytes[at] ?? 0;
  if (bytes[at + 1] === quote) {
    // An empty text or an escaped quote, but for a word that goes on.
    const behind = bytes[at + 2] ?? 0;
    return isLetter(behind) || isDigit(behind);
  }
  const on = skipGap(bytes, skipOperator(bytes, skipGap(bytes, at + 1)));
  const code = bytes[on] ?? 0;
  return code === quote || (isLetter(code) && bytes[on + 1] === quote);
};
