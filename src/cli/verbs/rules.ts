/** `coldseal rules list|check|explain`: what the scanner looks for, tested by its own examples. */
import { problemsOfRules, ruleById, rulesInForce, shippedRules } from '../../app/rule-facts.js';
import { showNumber } from '../../contract/show-amount.js';
import type { VerbAction } from '../verb-context.js';

export const listRules: VerbAction = async ({ flags, terminal, surroundings }) => {
  const { rules, digest } = await rulesInForce(surroundings);
  if (flags.json) {
    const rows = rules.map(({ id, kind, family, severity, description }) => ({
      id,
      kind,
      family,
      severity,
      description,
    }));
    await terminal.write(`${JSON.stringify({ digest, rules: rows })}\n`);
    return 0;
  }
  const width = Math.max(...rules.map(({ id }) => id.length));
  for (const rule of rules) await terminal.write(`${rule.id.padEnd(width)}  ${rule.kind}  ${rule.description}\n`);
  if (!flags.quiet) terminal.say(`${showNumber(rules.length, 'rule')}, ${digest}`);
  return 0;
};

/** Exit 2 with every problem: a scanner whose rules do not hold would be refused anyway. */
export const checkRules: VerbAction = async ({ flags, terminal, surroundings }) => {
  const set = shippedRules(surroundings);
  // The owner's have no examples of their own: that they load is what can be checked.
  const { own } = await rulesInForce(surroundings);
  const problems = problemsOfRules(set);
  const ok = problems.length === 0 && set.rules.length > 0;
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ rules: set.rules.length, own, digest: set.digest, problems })}\n`);
  } else {
    for (const { ruleId, problem } of problems) terminal.say(`${ruleId}: ${problem}`);
    await terminal.write(
      `${showNumber(set.rules.length, 'rule')} checked, ${showNumber(problems.length, 'problem')}${own === 0 ? '' : `; ${showNumber(own, 'rule')} of yours ${own === 1 ? 'loads' : 'load'}`}\n`,
    );
  }
  return ok ? 0 : 2;
};

export const explainRule: VerbAction = async ({ flags, terminal, surroundings }, { args }) => {
  const { examples, counterexamples, ...rule } = ruleById(await rulesInForce(surroundings), args[0] ?? '');
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ ...rule, examples, counterexamples })}\n`);
    return 0;
  }
  await terminal.write(
    [
      `${rule.id} (${rule.kind}, family ${rule.family}, ${rule.severity})`,
      `  ${rule.description}`,
      `  pattern   ${rule.pattern}`,
      `  secret    ${rule.group === 0 ? 'the whole match' : `group ${rule.group}`}`,
      ...rule.filters.map((filter) => `  filter    ${JSON.stringify(filter)}`),
      ...examples.map((example) => `  finds     ${example}`),
      ...counterexamples.map((example) => `  leaves    ${example}`),
      `  source    ${rule.source}`,
      '',
    ].join('\n'),
  );
  return 0;
};
