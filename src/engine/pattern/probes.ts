/**
 * Single bytes at fixed distances from a literal that every match must have right: the dot seven bytes behind, the upper
 * case of the literal itself, no word character before it. Looking at a few of them costs less than one step of a guard
 * and rejects most of what the literals find.
 */
import type { ByteAutomaton } from './byte-automaton.js';
import { byteOdds } from './byte-odds.js';
import {
  addByte,
  type ByteSet,
  bytesOf,
  emptySet,
  foldByte,
  foldSet,
  hasByte,
  intersect,
  keyOf,
  setOf,
  subtract,
  union,
} from './byte-set.js';
import { WORD } from './pattern-escapes.js';
import type { Assertion } from './pattern-node.js';
import { isInRuns, LEAST_RUN_BYTES } from './run-bytes.js';
import type { Edges } from './subsets.js';

export interface Probe {
  /** Distance from the literal's start, negative before it. */
  readonly offset: number;
  readonly set: ByteSet;
  /** Whether there may be no byte because the text begins there. */
  readonly orEdge: boolean;
}

const MOST_PROBES = 5;
const FARTHEST_BEFORE = 40;
const FARTHEST_BEHIND = 64;
/** A probe that lets more than this share of ordinary bytes pass is not worth its place. */
const WEAKEST_ODDS = 0.72;

const ALL = setOf([0, 255]);
const NEWLINE = setOf([0x0a, 0x0a]);
const NOT_WORD = subtract(ALL, WORD);

const closureOf = (automaton: Edges, states: Iterable<number>): Set<number> => {
  const seen = new Set<number>(states);
  for (const state of seen) for (const to of automaton.free[state] ?? []) seen.add(to);
  return seen;
};

/** Distances in a row that say next to nothing before the rest is given up. */
const MOST_WEAK = 16;

const known = new Map<string, number>();

/** Share of ordinary bytes that are in the set; patterns share few sets. */
const setOdds = (set: ByteSet): number => {
  const key = keyOf(set);
  const odds = known.get(key) ?? bytesOf(set).reduce((total, byte) => total + byteOdds(byte), 0);
  known.set(key, odds);
  return odds;
};

/** What bytes stand at each distance from `from`, until `goal` may be reached. */
const layers = (automaton: Edges, from: number, goal: number, farthest: number): ByteSet[] => {
  const sets: ByteSet[] = [];
  let states = closureOf(automaton, [from]);
  let weak = 0;
  while (sets.length < farthest && weak < MOST_WEAK && !states.has(goal)) {
    let set = emptySet();
    const targets = new Set<number>();
    for (const state of states) {
      for (const edge of automaton.edges[state] ?? []) {
        set = union(set, edge.set);
        targets.add(edge.to);
      }
    }
    sets.push(set);
    weak = setOdds(set) < WEAKEST_ODDS || isInRuns(set) ? 0 : weak + 1;
    states = closureOf(automaton, targets);
  }
  return sets;
};

type Condition = Exclude<Assertion, 'text-end' | 'line-end'> | null;

/** What `condition` at the literal's start leaves of the bytes before it. */
const allowedBefore = (condition: Condition, first: ByteSet): { readonly set: ByteSet; readonly orEdge: boolean } => {
  if (condition === 'text-start') return { set: emptySet(), orEdge: true };
  if (condition === 'line-start') return { set: NEWLINE, orEdge: true };
  if (condition === 'word-boundary') {
    const isWord = bytesOf(first).map((byte) => hasByte(WORD, byte));
    if (isWord.every((one) => one)) return { set: NOT_WORD, orEdge: true };
    if (isWord.every((one) => !one)) return { set: WORD, orEdge: false };
  }
  return { set: ALL, orEdge: true };
};

const stricter = (condition: Condition, assertion: Assertion | undefined): Condition => {
  if (assertion === undefined || assertion === 'text-end' || assertion === 'line-end') return condition;
  if (condition === 'text-start') return condition;
  return condition === 'line-start' && assertion === 'word-boundary' ? condition : assertion;
};

/** The byte right before the literal: what the pattern has there, or what its assertions ask of a text it does not read. */
const probeBefore = (automaton: ByteAutomaton, reversed: Edges, state: number, first: ByteSet): Probe => {
  let set = emptySet();
  let orEdge = false;
  const seen = new Set<string>();
  const open: { readonly at: number; readonly condition: Condition }[] = [{ at: state, condition: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, condition } = next;
    if (seen.has(`${at} ${condition}`)) continue;
    seen.add(`${at} ${condition}`);
    const allowed = allowedBefore(condition, first);
    for (const edge of reversed.edges[at] ?? []) set = union(set, intersect(edge.set, allowed.set));
    if (at === automaton.start) {
      set = union(set, allowed.set);
      orEdge ||= allowed.orEdge;
    }
    const inside = stricter(condition, automaton.asserted.get(at));
    for (const to of reversed.free[at] ?? []) open.push({ at: to, condition: inside });
  }
  return { offset: -1, set, orEdge };
};

/** Both letter cases of every letter. */
const unfolded = (set: ByteSet): ByteSet => {
  const folded = foldSet(set);
  const both = emptySet();
  for (let byte = 0; byte < 256; byte += 1) if (hasByte(folded, foldByte(byte))) addByte(both, byte);
  return both;
};

export interface Surroundings {
  readonly probes: readonly Probe[];
  /** Whether the literal always stands inside a run of `LEAST_RUN_BYTES` or more. */
  readonly inRuns: boolean;
}

/**
 * @param shortest bytes of the shortest literal: of those, all but the letter case is known already
 * @param longest bytes of the longest literal
 */
export const surroundingsOf = (
  automaton: ByteAutomaton,
  reversed: Edges,
  state: number,
  shortest: number,
  longest: number,
): Surroundings => {
  const behind = layers(automaton, state, automaton.accept, FARTHEST_BEHIND);
  const before = layers(reversed, state, automaton.start, FARTHEST_BEFORE);
  const runBehind = runLength(behind);
  const inRuns = runBehind >= longest && runBehind + runLength(before) >= LEAST_RUN_BYTES;
  return {
    probes: chooseProbes(behind, before, probeBefore(automaton, reversed, state, behind[0] ?? ALL), shortest),
    inRuns,
  };
};

/** Number of sets at the front that lie inside the bytes of runs. */
const runLength = (sets: readonly ByteSet[]): number => {
  const end = sets.findIndex((set) => !isInRuns(set));
  return end === -1 ? sets.length : end;
};

const chooseProbes = (
  behind: readonly ByteSet[],
  before: readonly ByteSet[],
  first: Probe,
  literalBytes: number,
): readonly Probe[] => {
  const found: { readonly probe: Probe; readonly odds: number }[] = [];
  behind.forEach((set, offset) => {
    const odds = offset < literalBytes ? setOdds(set) / setOdds(unfolded(set)) : setOdds(set);
    found.push({ probe: { offset, set, orEdge: false }, odds });
  });
  before.slice(1).forEach((set, index) => {
    found.push({ probe: { offset: -2 - index, set, orEdge: false }, odds: setOdds(set) });
  });
  found.push({ probe: first, odds: setOdds(first.set) });
  return found
    .filter(({ odds }) => odds < WEAKEST_ODDS)
    .sort((a, b) => a.odds - b.odds || Math.abs(a.probe.offset) - Math.abs(b.probe.offset))
    .slice(0, MOST_PROBES)
    .map(({ probe }) => probe);
};
