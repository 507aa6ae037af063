/**
 * Rule files -> the bytes of the rule tables. Every pattern is compiled and planned once here, so that no thread meets one
 * that does not compile and none spends time on planning.
 */
import type { Rule } from '../contract/rule.js';
import { compilePattern } from '../rules/compile-pattern.js';
import { expandExample } from '../rules/expand-example.js';
import { findWithRule } from '../rules/find-with-rule.js';
import { loadRuleSet } from '../rules/load-rule-set.js';
import type { DocumentedRule } from '../rules/rule-file.js';
import { planRule } from './planned-rule.js';
import { encodeTables, type Probe } from './rule-tables.js';
import { SELF_TEST_RULE } from './self-test.js';

/** Rules that a thread proves itself with. */
const PROBES = 4;
const PROBE_SEED = 'self-test';

/** The rule as a thread needs it: nothing that is only read by people, and no examples. */
const bare = ({ id, kind, family, severity, pattern, group, filters }: Rule): Rule => ({
  id,
  kind,
  family,
  severity,
  description: '',
  pattern,
  group,
  filters,
  source: '',
});

/** A text in which the rule finds something, made of its examples. */
const probeOf = (rule: DocumentedRule): Probe[] => {
  const find = findWithRule(rule);
  return rule.examples
    .map((example) => expandExample(example, PROBE_SEED))
    .filter((text) => find(Buffer.from(text, 'utf8')).length > 0)
    .slice(0, 1)
    .map((text) => ({ ruleId: rule.id, text }));
};

/** Rules spread over the set; one whose examples are not found is passed over. */
const probesOf = (rules: readonly DocumentedRule[]): Probe[] => {
  const step = Math.max(1, Math.floor(rules.length / PROBES));
  return rules
    .filter((_, index) => index % step === 0)
    .flatMap(probeOf)
    .slice(0, PROBES);
};

/** @throws ColdsealError SCANNER_DEGRADED naming the rule or file that is not right */
export const makeTables = (rulesFolder: string): Uint8Array => {
  const { rules, digest } = loadRuleSet(rulesFolder);
  const planned = rules.map((rule) => planRule(bare(rule)));
  for (const { rule, pattern } of planned) {
    for (const one of [rule.pattern, pattern]) compilePattern(one, `rule "${rule.id}"`);
  }
  return encodeTables({ rules: planned, selfTestRule: planRule(SELF_TEST_RULE), digest, probes: probesOf(rules) });
};
