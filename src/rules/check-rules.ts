/**
 * Rules test themselves: every example matches, no counterexample does, patterns compile, kinds are well formed. What
 * `coldseal rules check` prints; an empty list is a whole rule set.
 */
import { ColdsealError } from '../contract/error.js';
import { compilePattern } from './compile-pattern.js';
import { expandExample } from './expand-example.js';
import { findWithRule } from './find-with-rule.js';
import { findsPlaceholder } from './refuse-placeholder-rule.js';
import { type DocumentedRule, isKindOf, type LoadedRuleSet } from './rule-file.js';

export interface RuleProblem {
  readonly ruleId: string;
  /** A sentence; names the example by its number, never by its expanded text. */
  readonly problem: string;
}

/** Seeds each example is expanded with: one draw could match by luck. */
const SEEDS = ['first', 'second'];

const groupCount = (pattern: string): number => {
  const match = compilePattern(`${pattern}|`, 'pattern').exec('');
  return match === null ? 0 : match.length - 1;
};

const problemsOf = (rule: DocumentedRule): readonly string[] => {
  const problems: string[] = [];
  if (!isKindOf(rule.family, rule.kind)) problems.push(`kind "${rule.kind}" does not fit family "${rule.family}"`);
  if (rule.source === '') problems.push('it names no source of the format');
  if (rule.examples.length < 2) problems.push('it has fewer than 2 examples');
  if (rule.counterexamples.length < 2) problems.push('it has fewer than 2 counterexamples');
  const find = findWithRule(rule);
  const finds = (text: string): boolean => find(Buffer.from(text, 'utf8')).length > 0;
  for (const seed of SEEDS) {
    for (const [at, template] of rule.examples.entries()) {
      if (!finds(expandExample(template, seed))) problems.push(`example ${at + 1} is not found (seed "${seed}")`);
    }
    for (const [at, template] of rule.counterexamples.entries()) {
      if (finds(expandExample(template, seed))) problems.push(`counterexample ${at + 1} is found (seed "${seed}")`);
    }
  }
  // Counting groups compiles the pattern once more, so it is left to rules that are wrong already.
  if (problems.length > 0 && rule.group > groupCount(rule.pattern))
    problems.push(`group ${rule.group} is not in the pattern`);
  if (findsPlaceholder(find)) problems.push('it finds a placeholder');
  return problems;
};

const problemsOrRefusal = (rule: DocumentedRule): readonly string[] => {
  try {
    return problemsOf(rule);
  } catch (error) {
    if (error instanceof ColdsealError) return [error.message];
    throw error;
  }
};

/** Every problem of every rule, in the set's order. */
export const checkRules = (ruleSet: LoadedRuleSet): readonly RuleProblem[] => {
  const seen = new Set<string>();
  return ruleSet.rules.flatMap((rule) => {
    const twice = seen.has(rule.id) ? ['its id stands twice'] : [];
    seen.add(rule.id);
    return [...twice, ...problemsOrRefusal(rule)].map((problem) => ({ ruleId: rule.id, problem }));
  });
};
