/**
 * Where the value stands in a match, when that follows from the match's own span. Asking RE2 for the span of a group
 * costs ten times as much as asking where the match ends, and most token rules capture a fixed place.
 */
import { byteLength, type Flags, type ParsedPattern, type PatternNode } from './pattern-node.js';

/** Bytes between the match's start and the value's, and between the value's end and the match's. */
export interface GroupLayout {
  readonly afterStart: number;
  readonly beforeEnd: number;
}

const fixedLength = (parts: readonly PatternNode[]): number | null => {
  let total = 0;
  for (const part of parts) {
    const { least, most } = byteLength(part);
    if (least !== most) return null;
    total += least;
  }
  return total;
};

const layoutIn = (node: PatternNode, group: number): GroupLayout | null => {
  if (node.kind === 'group') {
    return node.index === group ? { afterStart: 0, beforeEnd: 0 } : layoutIn(node.part, group);
  }
  if (node.kind !== 'concat') return null;
  for (const [at, part] of node.parts.entries()) {
    const inside = layoutIn(part, group);
    if (inside === null) continue;
    const before = fixedLength(node.parts.slice(0, at));
    const behind = fixedLength(node.parts.slice(at + 1));
    if (before === null || behind === null) return null;
    return { afterStart: inside.afterStart + before, beforeEnd: inside.beforeEnd + behind };
  }
  return null;
};

/** @returns `null` when the place depends on the text */
export const groupLayout = (parsed: ParsedPattern, group: number): GroupLayout | null =>
  group === 0 ? { afterStart: 0, beforeEnd: 0 } : layoutIn(parsed.root, group);

/** A piece of the pattern's text with no capturing group but `kept`, which becomes group 1; with 0, none at all. */
const pieceWithoutGroups = (pattern: string, parsed: ParsedPattern, kept: number, from: number, to: number): string => {
  let text = '';
  let at = from;
  for (const group of parsed.groups) {
    if (group.at < from || group.at >= to) continue;
    text += pattern.slice(at, group.at) + (group.index === kept ? '(' : '(?:');
    at = group.at + group.length;
  }
  return text + pattern.slice(at, to);
};

/** The pattern with no capturing group but `kept`, which becomes group 1; with 0, none at all. It matches the same. */
export const withoutGroups = (pattern: string, parsed: ParsedPattern, kept: number): string =>
  pieceWithoutGroups(pattern, parsed, kept, 0, pattern.length);

/**
 * A pattern cut at its value, so that the value's span can be had without asking RE2 for a group: a match's first choice is
 * the prefix's first choice, then the value's, then the suffix's, wherever each of them goes on to match.
 */
export interface CutPattern {
  /** What stands before the value; may be empty. */
  readonly prefix: string;
  /** The value and what stands behind it. */
  readonly rest: string;
  readonly value: string;
  readonly suffix: string;
  /** Bytes of the suffix, `null` where their number depends on the text. */
  readonly suffixBytes: number | null;
}

const flagText = ({ ignoreCase, dotAll, multiline }: Flags): string => {
  const letters = (ignoreCase ? 'i' : '') + (dotAll ? 's' : '') + (multiline ? 'm' : '');
  return letters === '' ? '' : `(?${letters})`;
};

/** @returns `null` where the value's group stands inside another piece of the pattern */
export const cutAtValue = (pattern: string, parsed: ParsedPattern, group: number): CutPattern | null => {
  const text = parsed.groups.find(({ index }) => index === group);
  const parts = parsed.root.kind === 'concat' ? parsed.root.parts : [parsed.root];
  const at = parts.findIndex((part) => part.kind === 'group' && part.index === group);
  if (text === undefined || text.depth > 0 || at === -1) return null;
  const flags = flagText(text.flags);
  const piece = (from: number, to: number): string => pieceWithoutGroups(pattern, parsed, 0, from, to);
  const suffix = piece(text.end, pattern.length);
  return {
    prefix: piece(0, text.at),
    rest: flags + piece(text.at, pattern.length),
    value: flags + piece(text.at, text.end),
    suffix: suffix === '' ? '' : flags + suffix,
    suffixBytes: fixedLength(parts.slice(at + 1)),
  };
};
