/**
 * A parsed pattern as a nondeterministic automaton over bytes. It accepts at least what the pattern matches: assertions
 * cost nothing, "any character outside ASCII" is a lead byte with any continuation bytes, and long counted repeats lose
 * their upper bound. Edges are kept in both directions, so that text can also be walked backwards from a literal.
 */
import { addByte, type ByteSet, emptySet, isEmpty, setOf } from './byte-set.js';
import type { Assertion, HighCharacters, PatternNode } from './pattern-node.js';

export interface Edge {
  readonly set: ByteSet;
  readonly to: number;
}

export interface ByteAutomaton {
  readonly start: number;
  readonly accept: number;
  /** By state: where it goes on a byte, and where without one. */
  readonly edges: readonly (readonly Edge[])[];
  readonly free: readonly (readonly number[])[];
  /** By state: the assertion that holds where it is entered; such a state is entered over one free edge only. */
  readonly asserted: ReadonlyMap<number, Assertion>;
  /** By node of the parsed pattern: the state in which it is entered first. */
  readonly entries: ReadonlyMap<PatternNode, number>;
}

/** More states than this are not worth a guard. */
const MOST_STATES = 8000;
/** A repeat is unrolled this often at most; beyond, its least is lowered and its most is dropped. */
const MOST_UNROLLED = 300;
/** The same for the bounds of a relaxed automaton; a few copies say more than a loop. */
const MOST_RELAXED = 3;

const LEAD = setOf([0xc2, 0xf4]);
const CONTINUATION = setOf([0x80, 0xbf]);

interface Draft {
  readonly edges: Edge[][];
  readonly free: number[][];
  readonly asserted: Map<number, Assertion>;
  readonly entries: Map<PatternNode, number>;
  readonly isRelaxed: boolean;
}

class TooLarge extends Error {}

const addState = (draft: Draft): number => {
  if (draft.edges.length >= MOST_STATES) throw new TooLarge();
  draft.edges.push([]);
  draft.free.push([]);
  return draft.edges.length - 1;
};

const addEdge = (draft: Draft, from: number, set: ByteSet, to: number): void => {
  draft.edges[from]?.push({ set, to });
};

const addFree = (draft: Draft, from: number, to: number): void => {
  draft.free[from]?.push(to);
};

const singleByte = (byte: number): ByteSet => {
  const set = emptySet();
  addByte(set, byte);
  return set;
};

const addCharacter = (draft: Draft, from: number, ascii: ByteSet, high: HighCharacters): number => {
  const to = addState(draft);
  if (!isEmpty(ascii)) addEdge(draft, from, ascii, to);
  if (high === 'none') return to;
  if (high === 'any') {
    const inside = addState(draft);
    addEdge(draft, from, LEAD, inside);
    addEdge(draft, inside, CONTINUATION, inside);
    addEdge(draft, inside, CONTINUATION, to);
    return to;
  }
  for (const sequence of high) {
    let at = from;
    sequence.forEach((byte, index) => {
      const next = index === sequence.length - 1 ? to : addState(draft);
      addEdge(draft, at, singleByte(byte), next);
      at = next;
    });
  }
  return to;
};

const addRepeat = (draft: Draft, from: number, part: PatternNode, least: number, most: number): number => {
  let at = from;
  const fewest = Math.min(least, MOST_UNROLLED);
  for (let copy = 0; copy < fewest; copy += 1) at = addNode(draft, at, part);
  const unrolled = draft.isRelaxed ? MOST_RELAXED : MOST_UNROLLED;
  if (most - fewest > unrolled || least > fewest) {
    // States of their own: a loop on `at` would let what comes before it repeat, a way out of the loop's own state would
    // let what comes after it be entered through the loop.
    const loop = addState(draft);
    const out = addState(draft);
    addFree(draft, at, loop);
    addFree(draft, addNode(draft, loop, part), loop);
    addFree(draft, loop, out);
    return out;
  }
  const end = addState(draft);
  for (let copy = fewest; copy < most; copy += 1) {
    addFree(draft, at, end);
    at = addNode(draft, at, part);
  }
  addFree(draft, at, end);
  return end;
};

/** Adds `node` behind the state `from` and returns the state behind it. */
function addNode(draft: Draft, from: number, node: PatternNode): number {
  if (!draft.entries.has(node)) draft.entries.set(node, from);
  switch (node.kind) {
    case 'empty':
      return from;
    case 'assert': {
      const to = addState(draft);
      addFree(draft, from, to);
      draft.asserted.set(to, node.assertion);
      return to;
    }
    case 'character':
      return addCharacter(draft, from, node.ascii, node.high);
    case 'group':
      return addNode(draft, from, node.part);
    case 'concat': {
      let at = from;
      for (const part of node.parts) at = addNode(draft, at, part);
      return at;
    }
    case 'alternate': {
      const end = addState(draft);
      for (const part of node.parts) {
        const begin = addState(draft);
        addFree(draft, from, begin);
        addFree(draft, addNode(draft, begin, part), end);
      }
      return end;
    }
    case 'repeat':
      return addRepeat(draft, from, node.part, node.least, node.most);
    default:
      return node satisfies never;
  }
}

/**
 * @param isRelaxed drops the upper bound of repeats that have a long way to it: far fewer states once it is made
 * deterministic, and still no match is left out
 * @returns `null` when the automaton would be too large to be of use
 */
export const buildAutomaton = (root: PatternNode, isRelaxed = false): ByteAutomaton | null => {
  const draft: Draft = { edges: [], free: [], asserted: new Map(), entries: new Map(), isRelaxed };
  try {
    const start = addState(draft);
    const accept = addNode(draft, start, root);
    return { start, accept, edges: draft.edges, free: draft.free, asserted: draft.asserted, entries: draft.entries };
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
};

/** The same automaton read from its end to its start. */
export const reverseAutomaton = (automaton: ByteAutomaton): Pick<ByteAutomaton, 'edges' | 'free'> => {
  const edges: Edge[][] = automaton.edges.map(() => []);
  const free: number[][] = automaton.free.map(() => []);
  automaton.edges.forEach((list, from) => {
    for (const { set, to } of list) edges[to]?.push({ set, to: from });
  });
  automaton.free.forEach((list, from) => {
    for (const to of list) free[to]?.push(from);
  });
  return { edges, free };
};
