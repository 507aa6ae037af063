/**
 * One automaton (Aho and Corasick, 1975) over the literals of every rule: read a text once and know every place where a
 * literal ends. Letter case is folded, so it may report too much; the guards behind it see the bytes as they are.
 */

import { classesOf } from './pattern/byte-classes.js';
import { byteOdds } from './pattern/byte-odds.js';
import { type ByteSet, bytesOf, foldByte } from './pattern/byte-set.js';
import type { Literal } from './pattern/find-literals.js';

export interface LiteralOfAnchor {
  readonly anchor: number;
  readonly literal: Literal;
  /** Looked for in runs only. */
  readonly inRuns: boolean;
}

/** The row a text is read from, and the row a run is read from. */
export const TEXT_ROOT = 0;
export const RUN_ROOT = 1;

export interface LiteralAutomaton {
  /** By byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** Row numbers, `next[row * classes + class]`; the roots come first, rows from `firstReporting` on report. */
  readonly next: Int32Array;
  readonly rows: number;
  readonly firstReporting: number;
  /** By reporting row: `anchor << 8 | literal length` of every literal that ends there. */
  readonly outputs: readonly (readonly number[])[];
}

interface Trie {
  next: Int32Array;
  readonly classes: number;
  rows: number;
  /** By row; only rows at which a literal ends have one. */
  readonly ends: Map<number, Set<number>>;
}

const addRow = (trie: Trie): number => {
  if ((trie.rows + 1) * trie.classes > trie.next.length) {
    const grown = new Int32Array(trie.next.length * 2);
    grown.set(trie.next);
    trie.next = grown;
  }
  trie.rows += 1;
  return trie.rows - 1;
};

/** Adds every word that the literal stands for. */
const addLiteral = (trie: Trie, root: number, steps: readonly (readonly number[])[], output: number): void => {
  let rows = [root];
  for (const classes of steps) {
    rows = rows.flatMap((row) =>
      classes.map((one) => {
        const slot = row * trie.classes + one;
        const known = trie.next[slot] ?? 0;
        if (known !== 0) return known;
        const added = addRow(trie);
        trie.next[slot] = added;
        return added;
      }),
    );
  }
  for (const row of rows) {
    const ends = trie.ends.get(row) ?? new Set<number>();
    ends.add(output);
    trie.ends.set(row, ends);
  }
};

/**
 * Fills in where every row goes on a byte that no literal continues with.
 * @returns the rows by their depth
 */
const complete = (trie: Trie, root: number): readonly number[] => {
  const { next, classes, rows, ends } = trie;
  const fail = new Int32Array(rows);
  const queue: number[] = [root];
  for (const row of queue) {
    const base = row * classes;
    const fallback = (fail[row] ?? 0) * classes;
    for (let at = 0; at < classes; at += 1) {
      const child = next[base + at] ?? 0;
      const other = row === root ? root : (next[fallback + at] ?? 0);
      if (child === 0) {
        next[base + at] = other;
        continue;
      }
      fail[child] = other;
      const more = ends.get(other);
      if (more !== undefined) ends.set(child, new Set([...(ends.get(child) ?? []), ...more]));
      queue.push(child);
    }
  }
  return queue;
};

/** Renumbers rows so that those that report come last, else by depth: rows near the root are used most and lie together. */
const reportingLast = (trie: Trie, order: readonly number[]): Omit<LiteralAutomaton, 'classOf' | 'classes'> => {
  const { classes, rows, ends } = trie;
  const silent = order.filter((row) => !ends.has(row));
  const reporting = order.filter((row) => ends.has(row));
  const number = new Int32Array(rows);
  [...silent, ...reporting].forEach((row, index) => {
    number[row] = index;
  });
  const next = new Int32Array(rows * classes);
  for (let row = 0; row < rows; row += 1) {
    const to = (number[row] ?? 0) * classes;
    for (let at = 0; at < classes; at += 1) next[to + at] = number[trie.next[row * classes + at] ?? 0] ?? 0;
  }
  return { next, rows, firstReporting: silent.length, outputs: reporting.map((row) => [...(ends.get(row) ?? [])]) };
};

/** Classes of folded bytes, the most frequent first: the columns that are read most share a line of the cache. */
const foldedClasses = (sets: readonly ByteSet[]): { readonly classOf: Uint8Array; readonly classes: number } => {
  const { classOf, classes } = classesOf(sets);
  const odds = new Float64Array(classes);
  for (let byte = 0; byte < 256; byte += 1) {
    const at = classOf[foldByte(byte)] ?? 0;
    odds[at] = (odds[at] ?? 0) + byteOdds(byte);
  }
  const order = [...odds.keys()].sort((a, b) => (odds[b] ?? 0) - (odds[a] ?? 0));
  const rank = new Uint8Array(classes);
  order.forEach((one, index) => {
    rank[one] = index;
  });
  return { classOf: Uint8Array.from({ length: 256 }, (_, byte) => rank[classOf[foldByte(byte)] ?? 0] ?? 0), classes };
};

const classesIn = (set: ByteSet, classOf: Uint8Array): number[] => [
  ...new Set(bytesOf(set).map((byte) => classOf[byte] ?? 0)),
];

export const buildLiteralAutomaton = (literals: readonly LiteralOfAnchor[]): LiteralAutomaton => {
  const { classOf, classes } = foldedClasses(literals.flatMap(({ literal }) => literal));
  const trie: Trie = { next: new Int32Array(1024 * classes), classes, rows: 2, ends: new Map() };
  const steps = new Map<ByteSet, number[]>();
  for (const { anchor, literal, inRuns } of literals) {
    const path = literal.map((set) => {
      const known = steps.get(set) ?? classesIn(set, classOf);
      steps.set(set, known);
      return known;
    });
    addLiteral(trie, inRuns ? RUN_ROOT : TEXT_ROOT, path, (anchor << 8) | literal.length);
  }
  return {
    classOf,
    classes,
    ...reportingLast(trie, [
      TEXT_ROOT,
      RUN_ROOT,
      ...complete(trie, TEXT_ROOT).slice(1),
      ...complete(trie, RUN_ROOT).slice(1),
    ]),
  };
};
