/**
 * Subset construction shared by the guards and the start finder. Subsets hold only states that read a byte (and the
 * goal), closures are worked out once a state, and subsets are compared number by number: this runs over some hundred
 * rules when the package is built and over an owner's rules when a thread first meets them.
 */

import type { ByteAutomaton } from './byte-automaton.js';
import { classesOf } from './byte-classes.js';
import { type ByteSet, hasByte, keyOf } from './byte-set.js';

/** An automaton read in one direction. */
export type Edges = Pick<ByteAutomaton, 'edges' | 'free'>;

export interface Subsets {
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The subset that holds what `from` reaches without a byte. */
  readonly first: number;
  /** Number of the empty subset. */
  readonly none: number;
  /** Where the subset goes on each class; new subsets get the next number. */
  row(subset: number): number[];
  hasGoal(subset: number): boolean;
  count(): number;
}

/** Every state that can be reached from `from`, and the sets on the way. */
const reach = (automaton: Edges, from: number): ByteSet[] => {
  const seen = new Uint8Array(automaton.edges.length);
  const open = [from];
  seen[from] = 1;
  const sets = new Map<string, ByteSet>();
  const visit = (to: number): void => {
    if (seen[to] === 1) return;
    seen[to] = 1;
    open.push(to);
  };
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const to of automaton.free[state] ?? []) visit(to);
    for (const { set, to } of automaton.edges[state] ?? []) {
      sets.set(keyOf(set), set);
      visit(to);
    }
  }
  return [...sets.values()];
};

/** Closures as sorted lists of the states that matter, each worked out once. */
const closures = (automaton: Edges, goal: number): ((state: number) => readonly number[]) => {
  const known: (readonly number[] | undefined)[] = [];
  const stamp = new Int32Array(automaton.edges.length);
  let now = 0;
  return (from) => {
    const before = known[from];
    if (before !== undefined) return before;
    now += 1;
    const found: number[] = [];
    const open = [from];
    stamp[from] = now;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (state === goal || (automaton.edges[state]?.length ?? 0) > 0) found.push(state);
      for (const to of automaton.free[state] ?? []) {
        if (stamp[to] === now) continue;
        stamp[to] = now;
        open.push(to);
      }
    }
    known[from] = found;
    return found;
  };
};

const sameNumbers = (a: Int32Array, b: Int32Array): boolean => {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
};

/** Numbers equal subsets alike. */
const numbering = (subsets: Int32Array[]): ((subset: Int32Array) => number) => {
  const byHash = new Map<number, number[]>();
  return (subset) => {
    let hash = subset.length;
    for (const state of subset) hash = (Math.imul(hash, 0x01000193) ^ state) | 0;
    const alike = byHash.get(hash) ?? [];
    byHash.set(hash, alike);
    for (const number of alike) {
      const known = subsets[number];
      if (known !== undefined && sameNumbers(known, subset)) return number;
    }
    alike.push(subsets.length);
    subsets.push(subset);
    return subsets.length - 1;
  };
};

export const openSubsets = (automaton: Edges, from: number, goal: number): Subsets => {
  const sets = reach(automaton, from);
  const { classOf, classes, byteOf } = classesOf(sets);
  const closureOf = closures(automaton, goal);
  const classesIn = new Map<string, number[]>();
  for (const set of sets) {
    const inside = byteOf.map((byte, index) => (hasByte(set, byte) ? index : -1)).filter((index) => index >= 0);
    classesIn.set(keyOf(set), inside);
  }
  /** By state: its edges as classes and target. */
  const steps: (readonly { readonly on: readonly number[]; readonly to: number }[] | undefined)[] = [];
  const stepsOf = (state: number): readonly { readonly on: readonly number[]; readonly to: number }[] => {
    steps[state] ??= (automaton.edges[state] ?? []).map(({ set, to }) => ({ on: classesIn.get(keyOf(set)) ?? [], to }));
    return steps[state];
  };
  const subsets: Int32Array[] = [];
  const numberOf = numbering(subsets);
  const none = numberOf(new Int32Array(0));
  const first = numberOf(Int32Array.from(closureOf(from)).sort());
  const stamp = new Int32Array(automaton.edges.length);
  let now = 0;
  const targetsOn = (subset: Int32Array): number[][] => {
    const targets: number[][] = Array.from({ length: classes }, () => []);
    for (const state of subset) for (const { on, to } of stepsOf(state)) for (const one of on) targets[one]?.push(to);
    return targets;
  };
  const closeOver = (targets: readonly number[]): Int32Array => {
    now += 1;
    const found: number[] = [];
    for (const target of targets) {
      for (const state of closureOf(target)) {
        if (stamp[state] === now) continue;
        stamp[state] = now;
        found.push(state);
      }
    }
    return Int32Array.from(found).sort();
  };
  return {
    classOf,
    classes,
    first,
    none,
    row: (subset) => {
      // Classes with the same targets are closed over once.
      const byTargets = new Map<string, number>();
      return targetsOn(subsets[subset] ?? new Int32Array(0)).map((targets) => {
        if (targets.length === 0) return none;
        const key = targets.join();
        const known = byTargets.get(key) ?? numberOf(closeOver(targets));
        byTargets.set(key, known);
        return known;
      });
    },
    hasGoal: (subset) => subsets[subset]?.includes(goal) === true,
    count: () => subsets.length,
  };
};
