/**
 * One automaton (Aho and Corasick, 1975) over the literals of every rule: read a text once and know every place where a
 * literal ends. Letter case is folded, so it may report too much; the guards behind it see the bytes as they are.
 *
 * It is built in each thread, because a profile brings rules of its own, and so before the first byte is scanned: flat
 * arrays, no object a row.
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
  /** `next[row * classes + class]`, rows in the order they were made; may be longer than its rows. */
  readonly next: Int32Array;
  readonly rows: number;
  /** Where each row belongs: the roots, other rows by depth, then those that report, by depth. */
  readonly placeOf: Int32Array;
  readonly firstReporting: number;
  /** Outputs of the reporting rows one after the other: `anchor << 8 | literal length`. */
  readonly outputs: Int32Array;
  /** By reporting row: where its outputs begin; one more for the end. */
  readonly outputStarts: Int32Array;
}

/** Rows in the order they were made. */
interface Trie {
  readonly classes: number;
  next: Int32Array;
  rows: number;
  /** By row: the index of its last own output plus one, 0 without any. */
  lastOutput: Int32Array;
  readonly outputs: number[];
  /** By output: the one before it of the same row, as `lastOutput`. */
  readonly outputBefore: number[];
}

const grown = (array: Int32Array): Int32Array => {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
};

const addRow = (trie: Trie): number => {
  if ((trie.rows + 1) * trie.classes > trie.next.length) trie.next = grown(trie.next);
  if (trie.rows + 1 > trie.lastOutput.length) trie.lastOutput = grown(trie.lastOutput);
  trie.rows += 1;
  return trie.rows - 1;
};

const addOutput = (trie: Trie, row: number, output: number): void => {
  for (let at = trie.lastOutput[row] ?? 0; at > 0; at = trie.outputBefore[at - 1] ?? 0) {
    if (trie.outputs[at - 1] === output) return;
  }
  trie.outputs.push(output);
  trie.outputBefore.push(trie.lastOutput[row] ?? 0);
  trie.lastOutput[row] = trie.outputs.length;
};

/** Adds every word that the literal stands for, from its step `depth` on. */
const addWords = (
  trie: Trie,
  row: number,
  steps: readonly (readonly number[])[],
  depth: number,
  output: number,
): void => {
  const classes = steps[depth];
  if (classes === undefined) {
    addOutput(trie, row, output);
    return;
  }
  for (const one of classes) {
    const slot = row * trie.classes + one;
    let to = trie.next[slot] ?? 0;
    if (to === 0) {
      to = addRow(trie);
      trie.next[slot] = to;
    }
    addWords(trie, to, steps, depth + 1, output);
  }
};

/** What `complete` works out: rows by depth, and by row the nearest shorter row that has outputs, 0 without one. */
interface Completed {
  readonly order: Int32Array;
  readonly shorter: Int32Array;
}

/** Fills in where every row goes on a byte that no literal continues with. */
const complete = (trie: Trie): Completed => {
  const { next, classes, rows, lastOutput } = trie;
  const fail = new Int32Array(rows);
  const shorter = new Int32Array(rows);
  const order = new Int32Array(rows);
  order[1] = RUN_ROOT;
  let known = 2;
  for (let done = 0; done < known; done += 1) {
    const row = order[done] ?? 0;
    const isRoot = row <= RUN_ROOT;
    const base = row * classes;
    const fallback = (fail[row] ?? 0) * classes;
    for (let at = base, other = fallback; at < base + classes; at += 1, other += 1) {
      const child = next[at] ?? 0;
      const suffix = isRoot ? row : (next[other] ?? 0);
      if (child === 0) {
        next[at] = suffix;
        continue;
      }
      fail[child] = suffix;
      shorter[child] = (lastOutput[suffix] ?? 0) > 0 ? suffix : (shorter[suffix] ?? 0);
      order[known] = child;
      known += 1;
    }
  }
  return { order, shorter };
};

/** Places rows so that those that report come last, else by depth: rows near the root are used most and lie together. */
const placeRows = (trie: Trie, { order, shorter }: Completed): Omit<LiteralAutomaton, 'classOf' | 'classes'> => {
  const { rows, lastOutput, next } = trie;
  const placeOf = new Int32Array(rows);
  const reporting: number[] = [];
  let place = 0;
  for (const row of order) {
    if ((lastOutput[row] ?? 0) > 0 || (shorter[row] ?? 0) > 0) reporting.push(row);
    else placeOf[row] = place++;
  }
  const firstReporting = place;
  const outputs: number[] = [];
  const outputStarts = new Int32Array(reporting.length + 1);
  for (const reportingRow of reporting) {
    for (let row = reportingRow; row > 0; row = shorter[row] ?? 0) {
      for (let at = lastOutput[row] ?? 0; at > 0; at = trie.outputBefore[at - 1] ?? 0) {
        outputs.push(trie.outputs[at - 1] ?? 0);
      }
    }
    placeOf[reportingRow] = place++;
    outputStarts[place - firstReporting] = outputs.length;
  }
  return { next, rows, placeOf, firstReporting, outputs: Int32Array.from(outputs), outputStarts };
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
  const sets = new Set<ByteSet>();
  for (const { literal } of literals) for (const set of literal) sets.add(set);
  const { classOf, classes } = foldedClasses([...sets]);
  const trie: Trie = {
    classes,
    next: new Int32Array(4096 * classes),
    rows: 2,
    lastOutput: new Int32Array(4096),
    outputs: [],
    outputBefore: [],
  };
  const known = new Map<ByteSet, number[]>();
  for (const set of sets) known.set(set, classesIn(set, classOf));
  for (const { anchor, literal, inRuns } of literals) {
    const steps = literal.map((set) => known.get(set) ?? []);
    addWords(trie, inRuns ? RUN_ROOT : TEXT_ROOT, steps, 0, (anchor << 8) | literal.length);
  }
  return { classOf, classes, ...placeRows(trie, complete(trie)) };
};
