/** Percent escapes: `%41`, and characters of several bytes. `+` for a blank is left: no secret holds a blank there. */
import { byteAt, hexPair } from './byte-tables.js';
import { addEdit, type PointEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';

const PERCENT = 0x25;
const ESCAPE_BYTES = 3;

/** Adds the escape at `at` (a percent sign), if it is one, and returns where to read on. */
export const readPercent = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const first = hexPair(bytes, at + 1);
  if (first === -1) return at + 1;
  const point = readCodePoint(first, (k) => {
    const next = at + k * ESCAPE_BYTES;
    return byteAt(bytes, next) === PERCENT ? hexPair(bytes, next + 1) : -1;
  });
  const end = at + ESCAPE_BYTES * (point === -1 ? 1 : utf8Length(first));
  if (point !== -1) addEdit(edits, at, end, point);
  return end;
};
