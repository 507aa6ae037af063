/**
 * What a thread proves before its first batch: that rules are there, that the prefilter and RE2 together find what they
 * must and nothing else, and that shipped rules find values of their own form. A scanner that finds nothing because it is
 * broken must not look like one that finds nothing because there is nothing.
 */
import type { Rule } from '../contract/rule.js';
import { compileRule, unplanned } from './compiled-rule.js';
import { type PlannedRule, planRule } from './planned-rule.js';
import type { RuleTables } from './rule-tables.js';
import { scanByPlaces } from './scan-by-places.js';
import { scanRuleByRule } from './scan-rule-by-rule.js';
import type { WasmModule } from './web-assembly.js';

const PROBE: Rule = {
  id: 'self-test',
  kind: 'token:self_test',
  family: 'secret',
  severity: 'block',
  description: 'A made-up form that only this test knows.',
  pattern: '(?i)[a-z]{0,9}probe[_-]key\\s*=\\s*"([a-z0-9]{24})"',
  group: 1,
  filters: [],
  source: 'this file',
};

const VALUE = 'x7'.repeat(12);
const TEXT = Buffer.from(`# é\nPROBE_KEY = "${VALUE}"\nprobe-key="${VALUE}\nmyprobe_\u212aey="${VALUE}"`, 'utf8');

const sameHits = (planned: readonly PlannedRule[], prefilter: WasmModule, texts: readonly Uint8Array[]): boolean => {
  const fast = scanByPlaces(prefilter, planned.map(compileRule)).findHits(texts);
  const plain = scanRuleByRule(planned.map(({ rule }) => compileRule(unplanned(rule)))).findHits(texts);
  return JSON.stringify(fast) === JSON.stringify(plain) && fast.every((hits) => hits.length > 0);
};

/** @returns what is broken, or `null` when the thread is whole */
export const selfTest = ({ rules, probes }: RuleTables, prefilter: WasmModule): string | null => {
  if (rules.length === 0) return 'the rule tables hold no rule';
  const own = planRule(PROBE);
  if (own.plan === null || !sameHits([own], prefilter, [TEXT])) return 'the scanner’s self-test did not find its probe';
  for (const { ruleId, text } of probes) {
    const shipped = rules.filter(({ rule }) => rule.id === ruleId);
    if (shipped.length !== 1 || !sameHits(shipped, prefilter, [Buffer.from(text, 'utf8')])) {
      return `the scanner’s self-test did not find a value of rule "${ruleId}"`;
    }
  }
  return null;
};
