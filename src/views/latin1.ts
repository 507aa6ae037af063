/**
 * Bytes that are no UTF-8, read as Latin-1. RE2's `.` and `[^x]` do not match such bytes, so a pattern cannot cross one
 * and would miss a value written in an old encoding.
 */
import { isUtf8 } from 'node:buffer';
import { byteAt } from './byte-tables.js';
import { addEdit, isFullPart, overlapStart, pointEdits, type TakeEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';

/** How far beyond the plain context a word is followed. */
const REACH_BYTES = 1024;

/**
 * Nothing where every byte is UTF-8, which costs one native check; in parts where very many are not.
 *
 * @returns `false` where `take` wants no more
 */
export const takeLatin1 = (bytes: Uint8Array, take: TakeEdits): boolean => {
  if (isUtf8(bytes)) return true;
  let at = 0;
  while (at < bytes.length) {
    const edits = pointEdits('latin-1', 'segment', REACH_BYTES);
    while (at < bytes.length && !isFullPart(edits)) {
      const first = byteAt(bytes, at);
      const valid = first < 0x80 || readCodePoint(first, (k) => byteAt(bytes, at + k)) !== -1;
      if (!valid) addEdit(edits, at, at + 1, first);
      at += valid ? utf8Length(first) : 1;
    }
    if (!take(edits)) return false;
    if (at < bytes.length) at = overlapStart(edits);
  }
  return true;
};
