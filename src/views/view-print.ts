/**
 * What tells two views apart: their place in the item and their bytes. Decoding percent then JSON often spells the same
 * as JSON then percent; two hashes of 32 bits keep a chance meeting (which would skip a view) out of reach.
 */
import type { Span } from '../contract/finding.js';

/** FNV-1a's prime and start, and a second pair of odd multipliers with good mixing. */
const FNV_PRIME = 0x01000193;
const FNV_START = 0x811c9dc5;
const OTHER_PRIME = 0x85ebca6b;

export const viewPrint = (bytes: Uint8Array, place: Span): string => {
  let a = FNV_START;
  let b = bytes.length;
  for (let i = 0; i < bytes.length; i += 1) {
    const code = bytes[i] ?? 0;
    a = Math.imul(a ^ code, FNV_PRIME);
    b = Math.imul(b ^ (code + (b >>> 15)), OTHER_PRIME);
  }
  return `${place.start}:${place.end}:${bytes.length}:${a >>> 0}:${b >>> 0}`;
};
