/**
 * One rule ready to run. Its RE2 objects are made when they are first needed: of some hundred rules a run needs a few
 * dozen, and compiling all of them would cost every thread more than most scans take.
 *
 * RE2 runs over bytes here, so every offset is a byte offset and no text is ever decoded to a string.
 */
import RE2 from 're2';
import type { Rule } from '../contract/rule.js';
import { compileFilters } from '../rules/compile-filters.js';
import type { CutPattern, GroupLayout } from './pattern/group-layout.js';
import type { RulePlan } from './pattern/plan-pattern.js';
import type { PlannedRule } from './planned-rule.js';

/** Judges a value in its text: `[start, end)` is the value's span. */
export type AcceptValue = (text: Uint8Array, start: number, end: number) => boolean;

export interface CompiledRule {
  readonly rule: Rule;
  readonly plan: RulePlan | null;
  readonly layout: GroupLayout | null;
  /** The value's group in the two programs below. */
  readonly group: number;
  /** Finds the next match from `lastIndex` on and tells the span of every group. */
  readonly searcher: () => RE2;
  /** Matches at `lastIndex` only. */
  readonly sticky: () => RE2;
  /** The pieces of a cut pattern, each matching at `lastIndex` only; `null` for an empty one. */
  readonly cut: CompiledCut | null;
  readonly accepts: AcceptValue;
}

export interface CompiledCut {
  readonly prefix: (() => RE2) | null;
  readonly rest: () => RE2;
  readonly value: () => RE2;
  readonly suffix: (() => RE2) | null;
  readonly suffixBytes: number | null;
  /** How often the pieces were asked, and how often their answer had to be asked of the whole. */
  asked: number;
  unsure: number;
}

/** Makes a value on first use and keeps it. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const compileCut = ({ prefix, rest, value, suffix, suffixBytes }: CutPattern): CompiledCut => ({
  prefix: prefix === '' ? null : once(() => new RE2(prefix, 'yu')),
  rest: once(() => new RE2(rest, 'yu')),
  value: once(() => new RE2(value, 'yu')),
  suffix: suffix === '' ? null : once(() => new RE2(suffix, 'yu')),
  suffixBytes,
  asked: 0,
  unsure: 0,
});

/**
 * @throws SyntaxError from `searcher()` or `sticky()` when RE2 cannot compile the pattern. Shipped rules are compiled at
 * package time and the owner's when they are loaded, so a throw here is a fault and ends the input's scan.
 */
export const compileRule = ({ rule, plan, layout, cut, pattern, group }: PlannedRule): CompiledRule => {
  const accepts = once(() => compileFilters(rule.filters));
  return {
    rule,
    plan,
    layout,
    group,
    searcher: once(() => new RE2(pattern, 'dgu')),
    sticky: once(() => new RE2(pattern, layout === null ? 'dyu' : 'yu')),
    cut: cut === null ? null : compileCut(cut),
    accepts: (text, start, end) => accepts()(text, start, end),
  };
};

/** The rule as it is written, nothing worked out of its pattern: what the fast scanner is measured against. */
export const unplanned = (rule: Rule): PlannedRule => ({
  rule,
  plan: null,
  layout: null,
  cut: null,
  pattern: rule.pattern,
  group: rule.group,
});
