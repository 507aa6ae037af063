/**
 * Characters of a pattern as nodes, letter case folded as RE2 folds it: two letters outside ASCII fold into it, and their
 * bytes are put in.
 */
import { addByte, type ByteSet, bytesOf, emptySet, hasByte, setOf } from './byte-set.js';
import type { Flags, HighCharacters, PatternNode } from './pattern-node.js';

/** Thrown and caught inside the pattern reader only: the pattern is not covered. */
export class Unreadable extends Error {}

/** U+017F folds to `s`, U+212A to `k`. */
const FOLDED_S = [0xc5, 0xbf];
const FOLDED_K = [0xe2, 0x84, 0xaa];

export const ALL_ASCII = setOf([0, 0x7f]);
/** What U+017F and U+212A bring in when letter case is ignored. */
export const FOLDED_FROM_HIGH = setOf([0x73, 0x73], [0x6b, 0x6b]);

/** Both letter cases of every letter. */
export const foldAscii = (ascii: ByteSet): ByteSet => {
  const folded = ascii.slice();
  for (const byte of bytesOf(ascii)) {
    if (byte >= 0x41 && byte <= 0x5a) addByte(folded, byte | 0x20);
    if (byte >= 0x61 && byte <= 0x7a) addByte(folded, byte & ~0x20);
  }
  return folded;
};

/** The characters outside ASCII that a set of ASCII letters also stands for when letter case is ignored. */
const foldedHigh = (ascii: ByteSet): HighCharacters => {
  const sequences: (readonly number[])[] = [];
  if (hasByte(ascii, 0x73)) sequences.push(FOLDED_S);
  if (hasByte(ascii, 0x6b)) sequences.push(FOLDED_K);
  return sequences.length === 0 ? 'none' : sequences;
};

/** One character of `ascii` or `high`, both letter cases where the flags say so. */
export const character = (ascii: ByteSet, high: HighCharacters, flags: Flags): PatternNode => {
  if (!flags.ignoreCase) return { kind: 'character', ascii, high };
  const folded = foldAscii(ascii);
  return { kind: 'character', ascii: folded, high: high === 'none' ? foldedHigh(folded) : high };
};

const utf8 = (point: number): number[] => [...Buffer.from(String.fromCodePoint(point), 'utf8')];

/** A literal code point. */
export const literal = (point: number, flags: Flags): PatternNode => {
  const ascii = emptySet();
  if (point < 0x80) {
    addByte(ascii, point);
    return character(ascii, 'none', flags);
  }
  // What letters outside ASCII fold to is not known here.
  if (flags.ignoreCase || (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) throw new Unreadable();
  return { kind: 'character', ascii, high: [utf8(point)] };
};
