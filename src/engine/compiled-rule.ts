/**
 * One rule ready to run. Its RE2 objects are made when they are first needed: of some hundred rules a run needs a few
 * dozen, and compiling all of them would cost every thread more than most scans take.
 *
 * RE2 runs over bytes here, so every offset is a byte offset and no text is ever decoded to a string.
 */
import RE2 from 're2';
import type { Rule } from '../contract/rule.js';
import { compileFilters } from '../rules/compile-filters.js';
import type { GroupLayout } from './pattern/group-layout.js';
import type { RulePlan } from './pattern/plan-pattern.js';
import type { SplitPattern } from './pattern/split-pattern.js';
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
  /** Read when the rule is first hit. */
  readonly split: SplitPattern | null;
  readonly accepts: AcceptValue;
}

/** Makes a value on first use and keeps it. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * @throws SyntaxError from `searcher()` or `sticky()` when RE2 cannot compile the pattern. Shipped rules are compiled at
 * package time and the owner's when they are loaded, so a throw here is a fault and ends the input's scan.
 */
export const compileRule = (planned: PlannedRule): CompiledRule => {
  const { rule, plan, layout, group } = planned;
  const accepts = once(() => compileFilters(rule.filters));
  return {
    rule,
    plan,
    layout,
    group,
    searcher: once(() => new RE2(planned.pattern, 'dgu')),
    sticky: once(() => new RE2(planned.pattern, layout === null ? 'dyu' : 'yu')),
    get split() {
      return planned.split;
    },
    accepts: (text, start, end) => accepts()(text, start, end),
  };
};

/** The rule as it is written, nothing worked out of its pattern: what the fast scanner is measured against. */
export const unplanned = (rule: Rule): PlannedRule => ({
  rule,
  plan: null,
  layout: null,
  split: null,
  pattern: rule.pattern,
  group: rule.group,
});
