/**
 * The literals one of which stands wherever a given state of a pattern is passed: short sequences of byte sets, letter
 * case folded. They are grown where they are most frequent, so a pattern's `[0-9]` behind a dot is taken in while the
 * tail of a long word is left out.
 */
import type { ByteAutomaton } from './byte-automaton.js';
import { literalOdds } from './byte-odds.js';
import { addByte, type ByteSet, bytesOf, emptySet, foldSet, keyOf } from './byte-set.js';

/** A sequence of folded byte sets. */
export type Literal = readonly ByteSet[];

export interface LiteralSet {
  readonly literals: readonly Literal[];
  /** Chance of one at some place of ordinary text. */
  readonly odds: number;
}

export const LONGEST_LITERAL = 8;
const MOST_LITERALS = 200;
/** Plain words that one literal may stand for: `[0-9].[0-9]` would be 100. */
const MOST_WORDS = 48;
/** The same for all literals together. */
const MOST_WORDS_TOGETHER = 512;
/** A set of more bytes than this ends its literal. */
const WIDEST_SET = 16;
/** Rarer than this is rare enough. */
const RARE_ODDS = 2 ** -20;

interface Leaf {
  readonly sets: Literal;
  /** States before the free steps are taken. */
  readonly states: readonly number[];
  readonly odds: number;
  readonly words: number;
  grown: boolean;
}

const closureOf = (automaton: ByteAutomaton, states: readonly number[]): Set<number> => {
  const seen = new Set<number>(states);
  // A set may grow while it is walked, and is walked to its end.
  for (const state of seen) for (const to of automaton.free[state] ?? []) seen.add(to);
  return seen;
};

const folded = new Map<string, { readonly bytes: readonly number[] }>();

/** Folded bytes of a set; patterns share few sets. */
const foldedBytes = (set: ByteSet): readonly number[] => {
  const key = keyOf(set);
  const known = folded.get(key) ?? { bytes: bytesOf(foldSet(set)) };
  folded.set(key, known);
  return known.bytes;
};

/** Where folded bytes lead from `states`, bytes with the same targets together; `null` when any may follow. */
const stepsFrom = (
  automaton: ByteAutomaton,
  states: Iterable<number>,
): { set: ByteSet; targets: number[] }[] | null => {
  const byByte = new Map<number, Set<number>>();
  for (const state of states) {
    for (const { set, to } of automaton.edges[state] ?? []) {
      const bytes = foldedBytes(set);
      if (bytes.length > WIDEST_SET) return null;
      for (const byte of bytes) {
        const targets = byByte.get(byte) ?? new Set<number>();
        targets.add(to);
        byByte.set(byte, targets);
      }
    }
  }
  const groups = new Map<string, { set: ByteSet; targets: number[] }>();
  for (const [byte, found] of byByte) {
    const targets = [...found].sort((a, b) => a - b);
    const key = targets.join();
    const group = groups.get(key) ?? { set: emptySet(), targets };
    addByte(group.set, byte);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** The leaves one step behind `leaf`, or `null` when it cannot grow. */
const grow = (automaton: ByteAutomaton, leaf: Leaf): Leaf[] | null => {
  if (leaf.sets.length >= LONGEST_LITERAL) return null;
  const states = closureOf(automaton, leaf.states);
  const steps = states.has(automaton.accept) ? null : stepsFrom(automaton, states);
  if (steps === null || steps.some(({ set }) => bytesOf(set).length > WIDEST_SET)) return null;
  return steps.map(({ set, targets }) => {
    const sets = [...leaf.sets, set];
    return { sets, states: targets, odds: literalOdds(sets), words: leaf.words * bytesOf(set).length, grown: false };
  });
};

const sum = (leaves: readonly Leaf[], of: (leaf: Leaf) => number): number =>
  leaves.reduce((total, leaf) => total + of(leaf), 0);

/** @returns `null` when a match can pass `state` and have no literal behind it */
export const findLiterals = (automaton: ByteAutomaton, state: number): LiteralSet | null => {
  let leaves: Leaf[] = [{ sets: [], states: [state], odds: 1, words: 1, grown: false }];
  for (;;) {
    const open = leaves.filter((leaf) => !leaf.grown && leaf.odds > RARE_ODDS);
    const [most] = open.sort((a, b) => b.odds - a.odds);
    if (most === undefined) break;
    most.grown = true;
    const grown = grow(automaton, most);
    if (grown === null) continue;
    const next = [...leaves.filter((leaf) => leaf !== most), ...grown];
    const isSmall = next.length <= MOST_LITERALS && sum(next, (leaf) => leaf.words) <= MOST_WORDS_TOGETHER;
    if (isSmall && grown.every((leaf) => leaf.words <= MOST_WORDS)) leaves = next;
  }
  if (leaves.some((leaf) => leaf.sets.length === 0)) return null;
  return { literals: leaves.map((leaf) => leaf.sets), odds: sum(leaves, (leaf) => leaf.odds) };
};
