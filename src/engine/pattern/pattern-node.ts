/**
 * A parsed pattern. It stands for at least what RE2 matches, never for less: a class of characters outside ASCII becomes
 * "any of them", an assertion becomes "may hold". Everything built on it may only rule text out.
 */
import type { ByteSet } from './byte-set.js';

/** Zero-width conditions; `other` are those at the end of a text or line. */
export type Assertion = 'word-boundary' | 'text-start' | 'line-start' | 'other';

/**
 * Characters outside ASCII that a step accepts: none, any, or a few by their UTF-8 bytes (`(?i)k` is also U+212A,
 * `(?i)s` also U+017F).
 */
export type HighCharacters = 'none' | 'any' | readonly (readonly number[])[];

export type PatternNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  /** One character: a byte of `ascii`, or one of `high`. */
  | { readonly kind: 'character'; readonly ascii: ByteSet; readonly high: HighCharacters }
  | { readonly kind: 'concat'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'alternate'; readonly parts: readonly PatternNode[] }
  /** `most` is `Infinity` without a bound. */
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'group'; readonly index: number; readonly part: PatternNode };

export interface ParsedPattern {
  readonly root: PatternNode;
  /** Offsets in the pattern's text at which a capturing group opens, with the length of its opening. */
  readonly groups: readonly { readonly index: number; readonly at: number; readonly length: number }[];
}

/** Fewest and most bytes that a node takes. */
export interface ByteLength {
  readonly least: number;
  readonly most: number;
}

const NOTHING: ByteLength = { least: 0, most: 0 };

const characterLength = (ascii: boolean, high: HighCharacters): ByteLength => {
  if (high === 'none') return { least: 1, most: 1 };
  if (high === 'any') return { least: ascii ? 1 : 2, most: 4 };
  const lengths = high.map((bytes) => bytes.length);
  return { least: Math.min(ascii ? 1 : 4, ...lengths), most: Math.max(1, ...lengths) };
};

export const byteLength = (node: PatternNode): ByteLength => {
  switch (node.kind) {
    case 'empty':
    case 'assert':
      return NOTHING;
    case 'character':
      return characterLength(
        node.ascii.some((word) => word !== 0),
        node.high,
      );
    case 'group':
      return byteLength(node.part);
    case 'concat': {
      const lengths = node.parts.map(byteLength);
      return {
        least: lengths.reduce((total, one) => total + one.least, 0),
        most: lengths.reduce((total, one) => total + one.most, 0),
      };
    }
    case 'alternate': {
      const lengths = node.parts.map(byteLength);
      return {
        least: Math.min(...lengths.map((one) => one.least)),
        most: Math.max(...lengths.map((one) => one.most)),
      };
    }
    case 'repeat': {
      const { least, most } = byteLength(node.part);
      return { least: least * node.least, most: most === 0 ? 0 : most * node.most };
    }
    default:
      return node satisfies never;
  }
};
