/**
 * Where the value stands in a match, when that follows from the match's own span. Asking RE2 for the span of a group
 * costs ten times as much as asking where the match ends, and most token rules capture a fixed place.
 */
import { byteLength, type ParsedPattern, type PatternNode } from './pattern-node.js';

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
export const pieceWithoutGroups = (
  pattern: string,
  parsed: ParsedPattern,
  kept: number,
  from: number,
  to: number,
): string => {
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
