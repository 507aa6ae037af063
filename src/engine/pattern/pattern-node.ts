/**
 * A parsed pattern. It stands for at least what RE2 matches, never for less: a class of characters outside ASCII becomes
 * "any of them", an assertion becomes "may hold". Everything built on it may only rule text out.
 */
import type { ByteSet } from './byte-set.js';

/** Zero-width conditions. */
export type Assertion = 'word-boundary' | 'text-start' | 'line-start' | 'text-end' | 'line-end';

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
  /** `most` is `Infinity` without a bound; a lazy one takes as few as it can. */
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'group'; readonly index: number; readonly part: PatternNode };

/** What stands in `(?...)` around a piece of a pattern. */
export interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  /** `^` and `$` hold at lines too. */
  readonly multiline: boolean;
}

/** A capturing group in the pattern's text. */
export interface GroupText {
  readonly index: number;
  /** Where its parenthesis opens, how long the opening is, and where it ends behind the closing one. */
  readonly at: number;
  readonly length: number;
  readonly end: number;
  /** Parentheses of any kind around it. */
  readonly depth: number;
  /** In force around it. */
  readonly flags: Flags;
}

/** Where a part of the outermost sequence begins in the pattern's text, and the flags in force there. */
export interface PartText {
  readonly at: number;
  readonly flags: Flags;
}

export interface ParsedPattern {
  readonly root: PatternNode;
  /** In the order of their openings. */
  readonly groups: readonly GroupText[];
  /** One for each part of the root where that is a `concat`, else one for the root. */
  readonly parts: readonly PartText[];
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

/**
 * Most bytes that an attempt to match may take before it is certain to match: an open repeat at the very end (`{8,}`) is
 * done once its least is reached, one anywhere else may read on in vain.
 */
export const mostBytesInVain = (node: PatternNode): number => {
  switch (node.kind) {
    case 'group':
      return mostBytesInVain(node.part);
    case 'alternate':
      return Math.max(...node.parts.map(mostBytesInVain));
    case 'concat': {
      const last = node.parts.at(-1);
      if (last === undefined) return 0;
      const before = node.parts.slice(0, -1).reduce((total, part) => total + byteLength(part).most, 0);
      return before + mostBytesInVain(last);
    }
    case 'repeat': {
      if (Number.isFinite(node.most)) return byteLength(node).most;
      const { most } = byteLength(node.part);
      return most === 0 ? 0 : node.least * most + mostBytesInVain(node.part);
    }
    case 'empty':
    case 'assert':
    case 'character':
      return byteLength(node).most;
    default:
      return node satisfies never;
  }
};
