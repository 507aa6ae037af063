/**
 * Bytes that are no UTF-8, read as Latin-1. RE2's `.` and `[^x]` do not match such bytes, so a pattern cannot cross one
 * and would miss a value written in an old encoding.
 */
import { isUtf8 } from 'node:buffer';
import { byteAt } from './byte-tables.js';
import { addEdit, type PointEdits, pointEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';

/** `null` where every byte is UTF-8, which costs one native check. */
export const latin1Edits = (bytes: Uint8Array): PointEdits | null => {
  if (isUtf8(bytes)) return null;
  const edits = pointEdits('latin-1', 'segment', 1024);
  for (let at = 0; at < bytes.length; ) {
    const first = byteAt(bytes, at);
    if (first < 0x80) {
      at += 1;
      continue;
    }
    if (readCodePoint(first, (k) => byteAt(bytes, at + k)) !== -1) {
      at += utf8Length(first);
      continue;
    }
    addEdit(edits, at, at + 1, first);
    at += 1;
  }
  return edits;
};
