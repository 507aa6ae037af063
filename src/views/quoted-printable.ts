/**
 * Quoted-printable: `=3D` for a byte, `=` at a line's end for a line that goes on. `a=10` in source code looks the same,
 * so a segment counts only where it holds what every such text holds: an escaped equals sign or a soft line end.
 */
import { byteAt, hexPair, isBlank } from './byte-tables.js';
import { addEdit, DROPPED, type Edits, type PointEdits, pointEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';
import { lineEndBytes, lineStart, nextLine } from './line-break.js';

const EQUALS = 0x3d;
const ESCAPE_BYTES = 3;
/** Encoders break lines at up to 76 characters; a shorter line that ends in `=` is something else. */
const LEAST_SOFT_LINE_BYTES = 40;
const MOST_SOFT_LINE_BYTES = 140;

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

const readSoftLineEnd = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const before = byteAt(bytes, at - 1);
  if (isBlank(before) || before === EQUALS) return at + 1;
  const start = lineStart(bytes, at);
  if (start === -1 || at - start < LEAST_SOFT_LINE_BYTES || at - start > MOST_SOFT_LINE_BYTES) return at + 1;
  const next = nextLine(bytes, at + 1);
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
