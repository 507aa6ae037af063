/**
 * The fast scanner: one pass over the bytes finds the places worth a look, RE2 is asked there and nowhere else. It finds
 * exactly what `scanRuleByRule` finds; the tests hold the two against each other.
 */
import type { CompiledRule } from './compiled-rule.js';
import type { Anchor } from './pattern/plan-pattern.js';
import { findStarts } from './pattern/start-finder.js';
import { type PlaceMatchers, placeMatchers } from './place-matchers.js';
import { openPrefilter, type PlaceSink } from './prefilter.js';
import type { RuleHit, TextScanner } from './rule-hit.js';
import { searchRule } from './search-rule.js';
import { type NowMs, searchStarts } from './search-starts.js';
import type { WasmModule } from './web-assembly.js';

/** Where the rules may match in one text. */
interface Places {
  /** By rule: anchor and literal start of each place, one after the other. */
  readonly byRule: Map<number, number[]>;
  /** Rules that have to be searched over the whole text. */
  readonly flooded: Set<number>;
}

interface AnchoredRules {
  readonly rules: readonly CompiledRule[];
  readonly anchors: readonly Anchor[];
  readonly ruleOf: readonly number[];
  /** Rules without a plan. */
  readonly whole: readonly number[];
  readonly matchers: PlaceMatchers;
}

/** Bytes that looking for starts may read, per byte of text and at least. */
const WALK_PER_BYTE = 2;
const WALK_LEAST_BYTES = 64 * 1024;

const anchored = (rules: readonly CompiledRule[]): AnchoredRules => {
  const anchors: Anchor[] = [];
  const ruleOf: number[] = [];
  const whole: number[] = [];
  rules.forEach(({ plan }, rule) => {
    if (plan === null) whole.push(rule);
    for (const anchor of plan?.anchors ?? []) {
      anchors.push(anchor);
      ruleOf.push(rule);
    }
  });
  return { rules, anchors, ruleOf, whole, matchers: placeMatchers(rules) };
};

/** Adds what was found to `starts` where it is new; answers whether `starts` still rises. */
const addStart = (starts: number[], start: number): boolean => {
  const last = starts.at(-1) ?? -1;
  if (start !== last) starts.push(start);
  return start >= last;
};

/** Offsets at which a match may begin, rising, none twice; `null` when finding them costs too much. */
const startsOf = (anchors: readonly Anchor[], text: Uint8Array, places: readonly number[]): number[] | null => {
  const starts: number[] = [];
  const limit = WALK_LEAST_BYTES + text.length * WALK_PER_BYTE;
  let walked = 0;
  // Places of one literal come in rising order: only those of several have to be sorted.
  let rises = true;
  for (let at = 0; at < places.length; at += 2) {
    const start = anchors[places[at] ?? 0]?.start;
    const literalStart = places[at + 1] ?? 0;
    if (start === undefined) continue;
    if (start.kind === 'fixed') {
      const offset = literalStart - start.bytesBefore;
      if (offset >= 0 && !addStart(starts, offset)) rises = false;
      continue;
    }
    const known = starts.length;
    walked += findStarts(start.finder, text, literalStart, starts);
    if (walked > limit) return null;
    for (let index = Math.max(1, known); index < starts.length; index += 1) {
      if ((starts[index] ?? 0) <= (starts[index - 1] ?? 0)) rises = false;
    }
  }
  if (rises) return starts;
  starts.sort((a, b) => a - b);
  return starts.filter((start, index) => start !== starts[index - 1]);
};

/** Turns the places of one text into hits. */
const settleText = (
  { rules, anchors, whole, matchers }: AnchoredRules,
  text: Uint8Array,
  places: Places | undefined,
  nowMs: NowMs,
): RuleHit[] => {
  const hits: RuleHit[] = [];
  const search = (index: number): void => {
    const compiled = rules[index];
    nowMs();
    if (compiled !== undefined) searchRule(compiled, index, text, hits);
  };
  for (const index of whole) search(index);
  for (const index of places?.flooded ?? []) search(index);
  for (const [index, found] of places?.byRule ?? []) {
    const compiled = rules[index];
    if (compiled === undefined || places?.flooded.has(index) === true) continue;
    nowMs();
    const starts = startsOf(anchors, text, found);
    if (starts === null) search(index);
    else searchStarts(compiled, matchers(index), index, text, starts, hits, nowMs);
  }
  return hits;
};

/** Gathers places by text. */
const gatherPlaces = (
  ruleOf: readonly number[],
): { readonly sink: PlaceSink; readonly places: Map<number, Places> } => {
  const places = new Map<number, Places>();
  const of = (text: number): Places => {
    const known = places.get(text) ?? { byRule: new Map<number, number[]>(), flooded: new Set<number>() };
    places.set(text, known);
    return known;
  };
  const sink: PlaceSink = {
    place: (text, anchor, literalStart) => {
      const { byRule } = of(text);
      const rule = ruleOf[anchor] ?? 0;
      const found = byRule.get(rule);
      if (found === undefined) byRule.set(rule, [anchor, literalStart]);
      else found.push(anchor, literalStart);
    },
    flooded: (text, rule) => {
      of(text).flooded.add(rule);
    },
  };
  return { sink, places };
};

/**
 * @param module the compiled `prefilter.wasm`
 * @param nowMs asked at each step of the work; throws where nobody waits for the answer any more
 */
export const scanByPlaces = (module: WasmModule, rules: readonly CompiledRule[], nowMs: NowMs): TextScanner => {
  const known = anchored(rules);
  const prefilter = openPrefilter(module, { anchors: known.anchors, ruleOf: known.ruleOf, rules: rules.length });
  return {
    findHits: (texts) => {
      const { sink, places } = gatherPlaces(known.ruleOf);
      prefilter.findPlaces(texts, sink, nowMs);
      return texts.map((text, index) => settleText(known, text, places.get(index), nowMs));
    },
  };
};
