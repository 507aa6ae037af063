/**
 * A small deterministic automaton that says "no match from here" as soon as it is certain. It may say "maybe" where
 * there is no match, never "no" where there is one: what would make it large is answered "maybe".
 */
import { type Edges, openSubsets } from './subsets.js';

/** The state of no match, of a possible one, and the one a walk starts in. The first two end a walk. */
const GUARD_NO = 0;
const GUARD_MAYBE = 1;
const GUARD_START = 2;

export interface Guard {
  /** By byte: its class, below `classes`. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** `next[state * classes + class]`; states are multiplied by `classes` already, so a walk only adds and loads. */
  readonly next: Uint16Array;
}

export interface BuiltGuard extends Guard {
  /** Whether all of its states were kept: "maybe" then means that the automaton accepts. */
  readonly isWhole: boolean;
}

/** Rows whose states answer alike from there on become one (Moore's refinement); the fixed states keep their numbers. */
const mergeStates = (rows: readonly (readonly number[])[]): number[][] => {
  let block: number[] = rows.map((_, state) => Math.min(state, GUARD_START));
  for (let blocks = 0, next = new Set(block).size; next > blocks; ) {
    blocks = next;
    const numbers = new Map<string, number>([
      ['no', GUARD_NO],
      ['maybe', GUARD_MAYBE],
    ]);
    const refined = rows.map((row, state) => {
      const key = state === GUARD_NO ? 'no' : state === GUARD_MAYBE ? 'maybe' : row.map((to) => block[to]).join();
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    block = refined;
    next = numbers.size;
  }
  const merged: number[][] = [];
  rows.forEach((row, state) => {
    merged[block[state] ?? 0] ??= row.map((to) => block[to] ?? 0);
  });
  return merged;
};

/** Classes that every state treats alike become one; a guard that was cut short has many. */
const mergeColumns = (classOf: Uint8Array, classes: number, rows: readonly (readonly number[])[]): Guard => {
  const numbers = new Map<string, number>();
  const kept: number[] = [];
  const merged = Array.from({ length: classes }, (_, at) => {
    const key = rows.map((row) => row[at]).join();
    const number = numbers.get(key) ?? numbers.size;
    if (number === numbers.size) kept.push(at);
    numbers.set(key, number);
    return number;
  });
  return {
    classOf: classOf.map((one) => merged[one] ?? 0),
    classes: kept.length,
    next: Uint16Array.from(rows.flatMap((row) => kept.map((at) => (row[at] ?? 0) * kept.length))),
  };
};

/**
 * Walks from `from` until `goal` is among the states. The guard's walk answers "maybe" there and "no" where no state is
 * left; a goal that is reached without a byte gives no guard, that is `null`.
 *
 * @param mostStates states the guard may have, the fixed ones included
 */
export const buildGuard = (automaton: Edges, from: number, goal: number, mostStates: number): BuiltGuard | null => {
  const subsets = openSubsets(automaton, from, goal);
  if (subsets.hasGoal(subsets.first)) return null;
  const { classes } = subsets;
  const numbers = new Map<number, number>([
    [subsets.none, GUARD_NO],
    [subsets.first, GUARD_START],
  ]);
  const order = [subsets.first];
  let isWhole = true;
  const rows: number[][] = [new Array<number>(classes).fill(GUARD_NO), new Array<number>(classes).fill(GUARD_MAYBE)];
  const numberOf = (subset: number): number => {
    const known = numbers.get(subset);
    if (known !== undefined) return known;
    const isGoal = subsets.hasGoal(subset);
    const isFull = !isGoal && order.length + GUARD_START >= mostStates;
    if (isFull) isWhole = false;
    const number = isFull || isGoal ? GUARD_MAYBE : order.length + GUARD_START;
    numbers.set(subset, number);
    if (number !== GUARD_MAYBE) order.push(subset);
    return number;
  };
  for (const subset of order) rows.push(subsets.row(subset).map(numberOf));
  return { ...mergeColumns(subsets.classOf, classes, mergeStates(rows)), isWhole };
};
