/**
 * A rule's pattern -> how it is searched: the literals one of which every match holds, the guards on both sides of them,
 * and where a match can begin. Literals are derived, never typed by hand: a keyword somebody believes in is how scanners
 * miss things.
 *
 * A cut is a set of states of which every match passes one. Each cut of the pattern's spine is judged by how rare its
 * literals are in ordinary text; the rarest wins, a known start before an unknown one.
 */
import { type ByteAutomaton, buildAutomaton, reverseAutomaton } from './byte-automaton.js';
import { findLiterals, type Literal } from './find-literals.js';
import { buildGuard, type Guard } from './guard.js';
import { type ByteLength, byteLength, mostBytesInVain, type ParsedPattern, type PatternNode } from './pattern-node.js';
import { type Probe, surroundingsOf } from './probes.js';
import { buildStartFinder, type StartFinder } from './start-finder.js';
import type { Edges } from './subsets.js';

/** How the start of a match follows from the start of a literal in it. */
export type StartOfMatch =
  | { readonly kind: 'fixed'; readonly bytesBefore: number }
  | { readonly kind: 'found'; readonly finder: StartFinder };

export interface Anchor {
  readonly literals: readonly Literal[];
  /** The literal stands inside a run always, and is looked for in runs only. */
  readonly inRuns: boolean;
  readonly probes: readonly Probe[];
  /** Most bytes from the literal's start to the match's end, `null` without a bound. */
  readonly mostBytes: number | null;
  /** Judge the text from the literal's start on, one after the other. */
  readonly forward: readonly Guard[];
  /** Judges the text before the literal, walked backwards. */
  readonly backward: Guard | null;
  readonly start: StartOfMatch;
}

export interface RulePlan {
  readonly anchors: readonly Anchor[];
  /** Most bytes that RE2 may read at a start where no match begins, `null` without a bound. */
  readonly vainBytes: number | null;
  /** Chance of a literal at some place of ordinary text. */
  readonly odds: number;
}

/** One state of a cut with its literals. */
interface Place {
  readonly node: PatternNode;
  readonly state: number;
  readonly literals: readonly Literal[];
  readonly before: ByteLength;
}

interface Cut {
  readonly places: readonly Place[];
  readonly odds: number;
  /** `odds` with a surcharge for what costs more than a hit; the lowest is taken. */
  readonly cost: number;
}

interface Planner {
  readonly automaton: ByteAutomaton;
  readonly reversed: Edges;
  /** Of a whole match. */
  readonly mostBytes: number;
  /** The automaton without upper bounds, made on first use. */
  readonly relaxed: () => ByteAutomaton | null;
  /** Places from which the start of a match cannot be found with few states. */
  readonly excluded: Set<PatternNode>;
}

/** Rarer literals are not looked for. */
const GOOD_COST = 2.2e-5;
/** A hit whose match start has to be looked for costs about this much more. */
const UNKNOWN_START_SURCHARGE = 2;
/** Per literal: a larger automaton misses the processor's caches. */
const LITERAL_SURCHARGE = 2e-7;
/** Per place of a cut: each has guards of its own. */
const PLACE_SURCHARGE = 2e-5;
/** Per byte before the literal, so that of equals the first is taken. */
const DISTANCE_SURCHARGE = 1e-9;

const isFixed = (before: ByteLength): boolean => before.least === before.most;

const cutAt = (planner: Planner, node: PatternNode, before: ByteLength): Cut | null => {
  const state = planner.excluded.has(node) ? undefined : planner.automaton.entries.get(node);
  const found = state === undefined ? null : findLiterals(planner.automaton, state);
  if (state === undefined || found === null) return null;
  const distance = Math.min(before.most, 4096);
  const cost =
    found.odds * (isFixed(before) ? 1 : UNKNOWN_START_SURCHARGE) +
    found.literals.length * LITERAL_SURCHARGE +
    PLACE_SURCHARGE +
    distance * DISTANCE_SURCHARGE;
  return { places: [{ node, state, literals: found.literals, before }], odds: found.odds, cost };
};

const cheaper = (a: Cut | null, b: Cut | null): Cut | null => {
  if (a === null || b === null) return a ?? b;
  return b.cost < a.cost ? b : a;
};

const joined = (cuts: readonly (Cut | null)[]): Cut | null => {
  const all = cuts.filter((cut): cut is Cut => cut !== null);
  if (all.length < cuts.length) return null;
  return {
    places: all.flatMap((cut) => cut.places),
    odds: all.reduce((total, cut) => total + cut.odds, 0),
    cost: all.reduce((total, cut) => total + cut.cost, 0),
  };
};

const after = (before: ByteLength, node: PatternNode): ByteLength => {
  const { least, most } = byteLength(node);
  return { least: before.least + least, most: before.most + most };
};

/** The cheapest cut inside `node`, every match of which is entered with `before` in front of it. */
function cheapestCut(planner: Planner, node: PatternNode, before: ByteLength): Cut | null {
  switch (node.kind) {
    case 'empty':
    case 'assert':
      return null;
    case 'character':
      return cutAt(planner, node, before);
    case 'group':
      return cheapestCut(planner, node.part, before);
    case 'repeat':
      return node.least === 0 ? null : cheapestCut(planner, node.part, before);
    case 'concat': {
      let best: Cut | null = null;
      let here = before;
      for (const part of node.parts) {
        if (best !== null && best.cost < GOOD_COST) break;
        best = cheaper(best, cheapestCut(planner, part, here));
        here = after(here, part);
      }
      return best;
    }
    case 'alternate': {
      const branches = joined(node.parts.map((part) => cheapestCut(planner, part, before)));
      return cheaper(cutAt(planner, node, before), branches);
    }
    default:
      return node satisfies never;
  }
}

/** The more often a literal turns up, the more states its guards are worth. */
const guardStates = (odds: number): { readonly exact: number; readonly relaxed: number } => {
  if (odds > 1e-5) return { exact: 192, relaxed: 320 };
  return odds > 1e-6 ? { exact: 96, relaxed: 0 } : { exact: 36, relaxed: 0 };
};

/** The exact guard as far as its states go; where they do not suffice, one that knows no upper bounds behind it. */
const forwardGuards = ({ automaton, relaxed }: Planner, place: Place, odds: number): Guard[] => {
  const states = guardStates(odds);
  const exact = buildGuard(automaton, place.state, automaton.accept, states.exact);
  if (exact === null) return [];
  const { isWhole, ...first } = exact;
  if (isWhole || states.relaxed === 0) return [first];
  const loose = relaxed();
  const state = loose?.entries.get(place.node);
  const second = loose === null || state === undefined ? null : buildGuard(loose, state, loose.accept, states.relaxed);
  if (second === null) return [first];
  const { classOf, classes, next } = second;
  return [first, { classOf, classes, next }];
};

const startOf = ({ automaton, reversed }: Planner, place: Place): StartOfMatch | null => {
  if (isFixed(place.before)) return { kind: 'fixed', bytesBefore: place.before.least };
  const finder = buildStartFinder(reversed, place.state, automaton.start);
  return finder === null ? null : { kind: 'found', finder };
};

/** Larger bounds are none: they are stored in 24 bits. */
const MOST_BOUND_BYTES = 2 ** 24;

const bounded = (bytes: number): number | null => (bytes < MOST_BOUND_BYTES ? bytes : null);

const anchorOf = (planner: Planner, place: Place, start: StartOfMatch, odds: number): Anchor => {
  const { automaton, reversed } = planner;
  const lengths = place.literals.map((literal) => literal.length);
  return {
    literals: place.literals,
    mostBytes: bounded(planner.mostBytes - place.before.least),
    ...surroundingsOf(automaton, reversed, place.state, Math.min(...lengths), Math.max(...lengths)),
    forward: forwardGuards(planner, place, odds),
    backward:
      place.before.most === 0 ? null : buildGuard(reversed, place.state, automaton.start, guardStates(odds).exact),
    start,
  };
};

const NOTHING_BEFORE: ByteLength = { least: 0, most: 0 };

/** Cuts that are tried before the rule is searched over the whole text. */
const MOST_TRIES = 24;

/** The anchors of the cheapest cut from which the start of a match can be found; `null` when there is none. */
const anchorsOf = (planner: Planner, root: PatternNode): { anchors: Anchor[]; odds: number } | null => {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const cut = cheapestCut(planner, root, NOTHING_BEFORE);
    if (cut === null) return null;
    const anchors: Anchor[] = [];
    const lost: PatternNode[] = [];
    for (const place of cut.places) {
      const start = startOf(planner, place);
      if (start === null) lost.push(place.node);
      else if (lost.length === 0) anchors.push(anchorOf(planner, place, start, cut.odds));
    }
    if (lost.length === 0) return { anchors, odds: cut.odds };
    for (const node of lost) planner.excluded.add(node);
  }
  return null;
};

const onFirstUse = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** @returns `null` for a pattern that has no usable literal: its rule is searched over the whole text */
export const planPattern = (parsed: ParsedPattern): RulePlan | null => {
  const automaton = buildAutomaton(parsed.root);
  if (automaton === null) return null;
  const mostBytes = byteLength(parsed.root).most;
  const planner = {
    automaton,
    mostBytes,
    reversed: reverseAutomaton(automaton),
    relaxed: onFirstUse(() => buildAutomaton(parsed.root, true)),
    excluded: new Set<PatternNode>(),
  };
  const found = anchorsOf(planner, parsed.root);
  if (found === null) return null;
  return {
    ...found,
    vainBytes: bounded(mostBytesInVain(parsed.root)),
  };
};
