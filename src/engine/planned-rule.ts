/**
 * What is worked out of a rule's pattern before any text is seen: made when the package is built for the shipped rules,
 * in the thread for the few of a profile.
 */
import type { Rule } from '../contract/rule.js';
import { type GroupLayout, groupLayout, withoutGroups } from './pattern/group-layout.js';
import { parsePattern } from './pattern/parse-pattern.js';
import { planPattern, type RulePlan } from './pattern/plan-pattern.js';
import { type SplitPattern, splitPattern } from './pattern/split-pattern.js';

export interface PlannedRule {
  readonly rule: Rule;
  /** Matches the same as the rule's, with no groups but the value's. */
  readonly pattern: string;
  readonly group: number;
  /** Where the value stands in a match, when it always stands there. */
  readonly layout: GroupLayout | null;
  /** `null` for a pattern that is not read here: RE2 is asked at every place. */
  readonly split: SplitPattern | null;
  /** `null` for a rule that is searched over the whole text. */
  readonly plan: RulePlan | null;
}

export const planRule = (rule: Rule): PlannedRule => {
  const parsed = parsePattern(rule.pattern);
  if (parsed === null) return { rule, pattern: rule.pattern, group: rule.group, layout: null, split: null, plan: null };
  const layout = groupLayout(parsed, rule.group);
  const kept = layout === null ? rule.group : 0;
  return {
    rule,
    pattern: withoutGroups(rule.pattern, parsed, kept),
    group: kept === 0 ? 0 : 1,
    layout,
    split: splitPattern(rule.pattern, parsed, kept),
    plan: planPattern(parsed),
  };
};
