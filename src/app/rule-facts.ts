/** The shipped rules with their examples, and the owner's own behind them, for whoever lists, explains or checks them. */
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { checkRules, type RuleProblem } from '../rules/check-rules.js';
import { loadRuleSet } from '../rules/load-rule-set.js';
import type { DocumentedRule, LoadedRuleSet } from '../rules/rule-file.js';
import { readMachineSettings } from './read-settings-here.js';
import { ownersRules } from './scan-profile.js';
import type { Surroundings } from './surroundings.js';

export type { DocumentedRule, RuleProblem };

export const shippedRules = ({ configFolder }: Surroundings): LoadedRuleSet => loadRuleSet(join(configFolder, 'rules'));

export interface RulesInForce extends LoadedRuleSet {
  /** How many of the rules, the last ones, are the owner's. */
  readonly own: number;
}

/** `SCANNER_DEGRADED` naming file and id of an owner's rule that does not load. The digest is that of the shipped ones. */
export const rulesInForce = async (surroundings: Surroundings): Promise<RulesInForce> => {
  const shipped = shippedRules(surroundings);
  const { rules } = await ownersRules((await readMachineSettings(surroundings)).settings.own);
  const owners = rules.map((rule) => ({ ...rule, examples: [], counterexamples: [] }));
  return { ...shipped, rules: [...shipped.rules, ...owners], own: owners.length };
};

export const problemsOfRules = (rules: LoadedRuleSet): readonly RuleProblem[] => checkRules(rules);

/** `USAGE` with the nearest id for one that is not there. */
export const ruleById = (rules: LoadedRuleSet, id: string): DocumentedRule => {
  const found = rules.rules.find((rule) => rule.id === id);
  if (found !== undefined) return found;
  const near = nearestName(
    id,
    rules.rules.map((rule) => rule.id),
  );
  throw new ColdsealError(
    'USAGE',
    `there is no such rule${orNearest(near, '`coldseal rules list` lists all of them')}`,
  );
};
