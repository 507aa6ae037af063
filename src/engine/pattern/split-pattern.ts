/**
 * A pattern as a few fixed beginnings and the rest of it. Some hundred rules are a maker's name and the same rest, so the
 * rest is worked out once for all of them; and a token of a fixed form has no rest at all.
 */
import { type ByteSet, intersect, isEmpty } from './byte-set.js';
import { pieceWithoutGroups } from './group-layout.js';
import type { Flags, ParsedPattern, PatternNode } from './pattern-node.js';

export interface SplitPattern {
  /** Sequences of ASCII bytes; a text begins with one of them at most. One empty sequence where nothing is fixed. */
  readonly heads: readonly (readonly ByteSet[])[];
  /** The pattern of what follows; may be empty. Its group 1 is the value where the layout does not tell it. */
  readonly rest: string;
}

type Sequences = readonly (readonly ByteSet[])[];

const MOST_HEADS = 32;
const MOST_HEAD_BYTES = 128;

const joined = (before: Sequences, behind: Sequences): Sequences | null => {
  if (before.length * behind.length > MOST_HEADS) return null;
  const all = before.flatMap((first) => behind.map((second) => [...first, ...second]));
  return all.some(({ length }) => length > MOST_HEAD_BYTES) ? null : all;
};

const sequencesOfAll = (parts: readonly PatternNode[], kept: number): Sequences | null =>
  parts.reduce<Sequences | null>(
    (all, part) => {
      const more = all === null ? null : sequencesOf(part, kept);
      return all === null || more === null ? null : joined(all, more);
    },
    [[]],
  );

/** What the node may stand for; `null` for too much, and for what is no mere sequence of bytes. */
function sequencesOf(node: PatternNode, kept: number): Sequences | null {
  switch (node.kind) {
    case 'empty':
      return [[]];
    case 'assert':
      return null;
    case 'character':
      return [[node.ascii]];
    case 'group':
      return node.index === kept ? null : sequencesOf(node.part, kept);
    case 'concat':
      return sequencesOfAll(node.parts, kept);
    case 'alternate': {
      const branches = node.parts.map((part) => sequencesOf(part, kept));
      const all = branches.flatMap((branch) => branch ?? []);
      return branches.includes(null) || all.length > MOST_HEADS ? null : all;
    }
    case 'repeat': {
      if (node.most > MOST_HEAD_BYTES) return null;
      const counts = Array.from({ length: node.most - node.least + 1 }, (_, more) => node.least + more);
      if (counts.length > 2) return null;
      const branches = counts.map((count) => sequencesOfAll(new Array<PatternNode>(count).fill(node.part), kept));
      return branches.includes(null) ? null : branches.flatMap((branch) => branch ?? []);
    }
    default:
      return node satisfies never;
  }
}

/** Whether some text begins with both. */
const mayMeet = (a: readonly ByteSet[], b: readonly ByteSet[]): boolean => {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined || other === undefined || isEmpty(intersect(one, other))) return false;
  }
  return true;
};

const isUnique = (heads: Sequences): boolean =>
  heads.every((head, index) => heads.slice(index + 1).every((other) => !mayMeet(head, other)));

const flagText = ({ ignoreCase, dotAll, multiline }: Flags): string => {
  const letters = (ignoreCase ? 'i' : '') + (dotAll ? 's' : '') + (multiline ? 'm' : '');
  return letters === '' ? '' : `(?${letters})`;
};

/** @param kept the group that is the value; 0 where the layout tells where the value stands */
export const splitPattern = (pattern: string, parsed: ParsedPattern, kept: number): SplitPattern => {
  const parts = parsed.root.kind === 'concat' ? parsed.root.parts : [parsed.root];
  let best: { readonly heads: Sequences; readonly count: number } = { heads: [[]], count: 0 };
  let heads: Sequences | null = [[]];
  for (let count = 1; count <= parts.length && parts.length === parsed.parts.length; count += 1) {
    heads = joined(heads, sequencesOfAll(parts.slice(count - 1, count), kept) ?? []);
    if (heads === null || heads.length === 0) break;
    if (isUnique(heads)) best = { heads, count };
  }
  const next = parsed.parts[best.count];
  if (best.count === parts.length) return { heads: best.heads, rest: '' };
  const [at, flags] = best.count === 0 || next === undefined ? [0, ''] : [next.at, flagText(next.flags)];
  return { heads: best.heads, rest: flags + pieceWithoutGroups(pattern, parsed, kept, at, pattern.length) };
};
