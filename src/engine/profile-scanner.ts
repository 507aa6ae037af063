/**
 * Which rules a scan runs and the scanner made of them. A profile names families, identity inputs and the owner's rules;
 * threads see the same few profiles again and again, so what was made of the last ones is kept by the profile's digest.
 */
import { FAMILIES } from '../contract/finding.js';
import type { Rule, ScanProfile } from '../contract/rule.js';
import { identityRules } from '../rules/identity-rules.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import type { TextScanner } from './rule-hit.js';
import type { RuleTables } from './rule-tables.js';
import { scanRuleByRule } from './scan-rule-by-rule.js';

/** Profiles whose scanner is kept: a change review, a reading, the gate, and one to spare. */
const KEPT_PROFILES = 4;

export interface ProfileScanner {
  readonly rules: readonly CompiledRule[];
  readonly scanner: TextScanner;
}

/** Rules of a profile in a fixed order: compiled-in, identity, the owner's. `secret` and `private` cannot be off. */
export const rulesOf = (tables: RuleTables, profile: ScanProfile): Rule[] => {
  const on = new Set<string>([...profile.families, 'secret', 'private']);
  const known = new Set<string>(FAMILIES);
  const all = [...tables.ruleSet.rules, ...identityRules(profile.identity), ...profile.ownerRules];
  return all.filter((rule) => on.has(rule.family) || !known.has(rule.family));
};

export type OpenProfile = (profile: ScanProfile) => ProfileScanner;

/** One a thread. The returned function answers from what it kept, else compiles. */
export const profileScanners = (tables: RuleTables): OpenProfile => {
  const kept = new Map<string, ProfileScanner>();
  return (profile) => {
    const known = kept.get(profile.digest);
    if (known !== undefined) {
      kept.delete(profile.digest);
      kept.set(profile.digest, known);
      return known;
    }
    const rules = rulesOf(tables, profile).map(compileRule);
    const made = { rules, scanner: scanRuleByRule(rules) };
    kept.set(profile.digest, made);
    const oldest = kept.size > KEPT_PROFILES ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return made;
  };
};
