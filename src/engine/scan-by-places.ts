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

/** Where one rule may match in one text. */
interface Starts {
  /** Offsets at which a match may begin; two that follow each other differ. */
  readonly offsets: number[];
  /** Whether `offsets` rises: those of one literal do, those of several have to be sorted. */
  rises: boolean;
  /** Bytes that finding them has read. */
  walked: number;
  /** Finding them costs too much: none are kept, and the rule is searched over the whole text. */
  isDear: boolean;
}

/** Where the rules may match in one text. */
interface Places {
  readonly byRule: Map<number, Starts>;
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

/**
 * Adds the offsets at which a match with a literal at `literalStart` may begin. They are worked out as places come in: a
 * large text has hundreds of thousands of places, and a number for each is the most memory that a scan of one takes.
 */
const addStarts = (found: Starts, { start }: Anchor, text: Uint8Array, literalStart: number): void => {
  const { offsets } = found;
  if (start.kind === 'fixed') {
    const offset = literalStart - start.bytesBefore;
    const last = offsets.at(-1) ?? -1;
    if (offset < 0 || offset === last) return;
    if (offset < last) found.rises = false;
    offsets.push(offset);
    return;
  }
  const known = offsets.length;
  found.walked += findStarts(start.finder, text, literalStart, offsets);
  if (found.walked > WALK_LEAST_BYTES + text.length * WALK_PER_BYTE) {
    found.isDear = true;
    offsets.length = 0;
    return;
  }
  for (let index = Math.max(1, known); index < offsets.length; index += 1) {
    if ((offsets[index] ?? 0) <= (offsets[index - 1] ?? 0)) found.rises = false;
  }
};

/** Rising, none twice. */
const inOrder = ({ offsets, rises }: Starts): readonly number[] => {
  if (rises) return offsets;
  offsets.sort((a, b) => a - b);
  return offsets.filter((start, index) => start !== offsets[index - 1]);
};

/** Turns the places of one text into hits. */
const settleText = (
  { rules, whole, matchers }: AnchoredRules,
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
    if (found.isDear) search(index);
    else searchStarts(compiled, matchers(index), index, text, inOrder(found), hits, nowMs);
  }
  return hits;
};

const newStarts = (): Starts => ({ offsets: [], rises: true, walked: 0, isDear: false });

/** Gathers places by text. */
const gatherPlaces = (
  { anchors, ruleOf }: AnchoredRules,
  texts: readonly Uint8Array[],
): { readonly sink: PlaceSink; readonly places: Map<number, Places> } => {
  const places = new Map<number, Places>();
  const of = (text: number): Places => {
    const known = places.get(text) ?? { byRule: new Map<number, Starts>(), flooded: new Set<number>() };
    places.set(text, known);
    return known;
  };
  const sink: PlaceSink = {
    place: (index, anchor, literalStart) => {
      const { byRule, flooded } = of(index);
      const rule = ruleOf[anchor] ?? 0;
      const own = anchors[anchor];
      const text = texts[index];
      if (own === undefined || text === undefined || flooded.has(rule)) return;
      let found = byRule.get(rule);
      if (found === undefined) {
        found = newStarts();
        byRule.set(rule, found);
      }
      if (!found.isDear) addStarts(found, own, text, literalStart);
    },
    flooded: (index, rule) => {
      of(index).flooded.add(rule);
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
      const { sink, places } = gatherPlaces(known, texts);
      prefilter.findPlaces(texts, sink, nowMs);
      return texts.map((text, index) => settleText(known, text, places.get(index), nowMs));
    },
  };
};
