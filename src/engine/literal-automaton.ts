/**
 * One automaton (Aho and Corasick, 1975) over the literals of every rule: read a text once and know every place where a
 * literal ends. Letter case is folded, so it may report too much; the guards behind it see the bytes as they are.
 */

import { classesOf } from './pattern/byte-classes.js';
import { type ByteSet, bytesOf, foldByte } from './pattern/byte-set.js';
import type { Literal } from './pattern/find-literals.js';

export interface LiteralOfAnchor {
  readonly anchor: number;
  readonly literal: Literal;
}

export interface LiteralAutomaton {
  /** By byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** Row numbers, `next[row * classes + class]`; row 0 is the root, rows from `firstReporting` on report. */
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
const addLiteral = (trie: Trie, steps: readonly (readonly number[])[], output: number): void => {
  let rows = [0];
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

/** Fills in where every row goes on a byte that no literal continues with; rows are visited by their depth. */
const complete = (trie: Trie): void => {
  const { next, classes, rows, ends } = trie;
  const fail = new Int32Array(rows);
  const queue: number[] = [0];
  for (const row of queue) {
    const base = row * classes;
    const fallback = (fail[row] ?? 0) * classes;
    for (let at = 0; at < classes; at += 1) {
      const child = next[base + at] ?? 0;
      const other = row === 0 ? 0 : (next[fallback + at] ?? 0);
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
};

/** Renumbers rows so that those that report come last; their order is kept otherwise. */
const reportingLast = (trie: Trie): Omit<LiteralAutomaton, 'classOf' | 'classes'> => {
  const { classes, rows, ends } = trie;
  const number = new Int32Array(rows);
  let taken = 0;
  for (let row = 0; row < rows; row += 1) if (!ends.has(row)) number[row] = taken++;
  const firstReporting = taken;
  const outputs: number[][] = [];
  for (let row = 0; row < rows; row += 1) {
    const output = ends.get(row);
    if (output === undefined) continue;
    number[row] = taken++;
    outputs.push([...output]);
  }
  const next = new Int32Array(rows * classes);
  for (let row = 0; row < rows; row += 1) {
    const to = (number[row] ?? 0) * classes;
    for (let at = 0; at < classes; at += 1) next[to + at] = number[trie.next[row * classes + at] ?? 0] ?? 0;
  }
  return { next, rows, firstReporting, outputs };
};

const classesIn = (set: ByteSet, classOf: Uint8Array): number[] => [
  ...new Set(bytesOf(set).map((byte) => classOf[byte] ?? 0)),
];

export const buildLiteralAutomaton = (literals: readonly LiteralOfAnchor[]): LiteralAutomaton => {
  const folded = classesOf(literals.flatMap(({ literal }) => literal));
  const classOf = Uint8Array.from({ length: 256 }, (_, byte) => folded.classOf[foldByte(byte)] ?? 0);
  const { classes } = folded;
  const trie: Trie = { next: new Int32Array(1024 * classes), classes, rows: 1, ends: new Map() };
  const steps = new Map<ByteSet, number[]>();
  for (const { anchor, literal } of literals) {
    const path = literal.map((set) => {
      const known = steps.get(set) ?? classesIn(set, classOf);
      steps.set(set, known);
      return known;
    });
    addLiteral(trie, path, (anchor << 8) | literal.length);
  }
  complete(trie);
  return { classOf, classes, ...reportingLast(trie) };
};
