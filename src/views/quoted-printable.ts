/**
 * Quoted-printable: `=3D` for a byte, `=` at a line's end for a line that goes on. `a=10` in source code looks the same,
 * so a segment counts only where it holds what every such text holds: an escaped equals sign or a soft line end.
 */
import { byteAt, hexPair, isBlank, isDigit, isLetter } from './byte-tables.js';
import { addEdit, DROPPED, type Edits, type PointEdits, pointEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';
import { lineEndBytes, lineStart, nextLine } from './line-break.js';

const EQUALS = 0x3d;
const ESCAPE_BYTES = 3;
/** Encoders break lines at up to 76 characters; a shorter line that ends in `=` is something else, but inside a word. */
const LEAST_SOFT_LINE_BYTES = 40;
const MOST_SOFT_LINE_BYTES = 140;
/** A word with a digit in it that goes on behind the line's end: no name of a setting without a value. */
const BROKEN_BEFORE_BYTES = 8;
const BROKEN_AFTER_BYTES = 4;
const WORD_LOOK_BACK_BYTES = 64;

const isPrintable = (point: number): boolean =>
  (point >= 0x20 && point !== 0x7f) || point === 9 || point === 10 || point === 13;

export const quotedPrintableEdits = (): PointEdits => {
  const edits = pointEdits('quoted-printable', 'segment', 2048);
  const worth: NonNullable<Edits['worth']> = (first, last) => {
    for (let i = first; i <= last; i += 1) if (edits.points[i] === EQUALS || edits.points[i] === DROPPED) return true;
    return false;
  };
  return { ...edits, worth };
};

const isWordByte = (code: number): boolean => isLetter(code) || isDigit(code) || code === 0x5f || code === 0x2d;

/** Whether one word stands on both sides of the soft line end at `at`; `next` is where the next line begins. */
const breaksWord = (bytes: Uint8Array, at: number, next: number): boolean => {
  for (let k = 0; k < BROKEN_AFTER_BYTES; k += 1) if (!isWordByte(byteAt(bytes, next + k))) return false;
  let from = at;
  let digits = 0;
  while (at - from < WORD_LOOK_BACK_BYTES && isWordByte(byteAt(bytes, from - 1))) {
    from -= 1;
    if (isDigit(byteAt(bytes, from))) digits += 1;
  }
  return at - from >= BROKEN_BEFORE_BYTES && digits > 0;
};

const readSoftLineEnd = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const before = byteAt(bytes, at - 1);
  if (isBlank(before) || before === EQUALS) return at + 1;
  const start = lineStart(bytes, at);
  if (start === -1 || at - start > MOST_SOFT_LINE_BYTES) return at + 1;
  const next = nextLine(bytes, at + 1);
  if (at - start < LEAST_SOFT_LINE_BYTES && !breaksWord(bytes, at, next)) return at + 1;
  addEdit(edits, at, next, DROPPED);
  return next;
};

/** Adds the escape at `at` (an equals sign), if it is one, and returns where to read on. */
export const readQuotedPrintable = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  if (lineEndBytes(bytes, at + 1) > 0) return readSoftLineEnd(bytes, at, edits);
  const first = hexPair(bytes, at + 1);
  if (first === -1) return at + 1;
  const point = readCodePoint(first, (k) => {
    const next = at + k * ESCAPE_BYTES;
    return byteAt(bytes, next) === EQUALS ? hexPair(bytes, next + 1) : -1;
  });
  if (point === -1 || !isPrintable(point)) return at + 1;
  const end = at + ESCAPE_BYTES * utf8Length(first);
  addEdit(edits, at, end, point);
  return end;
};
