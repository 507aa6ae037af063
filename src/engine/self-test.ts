/**
 * What a thread proves before its first batch: that rules are there, that RE2 finds what it must and nothing else, and
 * that a shipped rule finds a value of its own form. A scanner that finds nothing because it is broken must not look
 * like one that finds nothing because there is nothing.
 */
import type { Rule } from '../contract/rule.js';
import { compileRule } from './compiled-rule.js';
import type { RuleTables } from './rule-tables.js';
import { scanRuleByRule } from './scan-rule-by-rule.js';

const PROBE: Rule = {
  id: 'self-test',
  kind: 'token:self_test',
  family: 'secret',
  severity: 'block',
  description: 'A made-up form that only this test knows.',
  pattern: '(?i)\\bprobe[_-]key\\s*=\\s*"([a-z0-9]{24})"',
  group: 1,
  filters: [],
  source: 'this file',
};

/** @returns what is broken, or `null` when the thread is whole */
export const selfTest = (tables: RuleTables): string | null => {
  if (tables.ruleSet.rules.length === 0) return 'the rule tables hold no rule';
  const value = 'x7'.repeat(12);
  const text = Buffer.from(`# é\nPROBE_KEY = "${value}"\nprobe-key="${value}`, 'utf8');
  const hits = scanRuleByRule([compileRule(PROBE)]).findHits(text);
  const start = text.indexOf(value);
  const [hit] = hits;
  if (hits.length !== 1 || hit?.start !== start || hit.end !== start + value.length) {
    return 'the scanner’s self-test did not find its probe';
  }
  return null;
};
