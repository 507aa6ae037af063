/**
 * One value written as several string literals: `"ab" + "cd"`, `'ab' . 'cd'`, `"ab" "cd"`, `"ab"` and `"cd"` on lines
 * that follow each other. What stands between the two texts is dropped. A comma between them is a list and is left.
 */
import { byteAt, isDigit, isLetter } from './byte-tables.js';
import { addEdit, DROPPED, type PointEdits } from './edits.js';
import { nextLine, skipBlanks } from './line-break.js';

/** Blanks on either side of the operator. */
const BLANK_BYTES = 48;
const BACKSLASH = 0x5c;

const OPERATORS: readonly string[] = ['+', '..', '.', '&', '~', '||', '<<', '++', '^'];
const OPERATOR_STARTS = new Uint8Array(256);
for (const operator of OPERATORS) OPERATOR_STARTS[operator.charCodeAt(0)] = 1;

const skipLineEnd = (bytes: Uint8Array, at: number): number => {
  const next = nextLine(bytes, at);
  return next === -1 ? at : skipBlanks(bytes, next, BLANK_BYTES);
};

const skipOperator = (bytes: Uint8Array, at: number): number => {
  const first = byteAt(bytes, at);
  if (first === BACKSLASH && nextLine(bytes, at + 1) !== -1) return at + 1;
  if (first === -1 || OPERATOR_STARTS[first] === 0) return at;
  const second = byteAt(bytes, at + 1);
  return second === first ? at + 2 : first === 0x7c || first === 0x3c ? at : at + 1;
};

const isWordByte = (code: number): boolean => isLetter(code) || isDigit(code);

/** A letter that marks the kind of literal: `b"..."`, `f"..."`, `r'...'`. */
const skipMark = (bytes: Uint8Array, at: number, quote: number): number =>
  isLetter(byteAt(bytes, at)) && byteAt(bytes, at + 1) === quote ? at + 1 : at;

/** Adds the join whose first quote stands at `at`, if it is one, and returns where to read on. */
export const readJoin = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const quote = byteAt(bytes, at);
  if (byteAt(bytes, at - 1) === BACKSLASH) return at + 1;
  let on = skipLineEnd(bytes, skipBlanks(bytes, at + 1, BLANK_BYTES));
  const operator = on;
  on = skipOperator(bytes, on);
  if (on > operator) on = skipLineEnd(bytes, skipBlanks(bytes, on, BLANK_BYTES));
  on = skipMark(bytes, on, quote);
  if (byteAt(bytes, on) !== quote) return at + 1;
  const end = on + 1;
  // Two quotes side by side are an empty text or an escaped quote, but for a word that goes on: `abc""def`.
  const glued = end === at + 2 && !(isWordByte(byteAt(bytes, at - 1)) && isWordByte(byteAt(bytes, end)));
  if (glued) return at + 1;
  addEdit(edits, at, end, DROPPED);
  return end;
};
