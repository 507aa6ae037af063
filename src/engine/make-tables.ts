/** Rule files -> the bytes of the rule tables. Every pattern is compiled once here, so that no thread meets one that does not. */
import type { Rule } from '../contract/rule.js';
import { compilePattern } from '../rules/compile-pattern.js';
import { loadRuleSet } from '../rules/load-rule-set.js';
import { encodeTables } from './rule-tables.js';

/** The rule as a thread needs it: no examples, no documentation members beyond the contract's. */
const bare = ({ id, kind, family, severity, description, pattern, group, filters, source }: Rule): Rule => ({
  id,
  kind,
  family,
  severity,
  description,
  pattern,
  group,
  filters,
  source,
});

/** @throws ColdsealError SCANNER_DEGRADED naming the rule or file that is not right */
export const makeTables = (rulesFolder: string): Uint8Array => {
  const { rules, digest } = loadRuleSet(rulesFolder);
  for (const rule of rules) compilePattern(rule.pattern, `rule "${rule.id}"`);
  return encodeTables({ ruleSet: { rules: rules.map(bare), digest } });
};
