/**
 * What a thread proves before its first batch: that rules are there, that the prefilter and RE2 together find what they
 * must and nothing else, and that shipped rules find values of their own form. A scanner that finds nothing because it is
 * broken must not look like one that finds nothing because there is nothing.
 */
import type { Rule } from '../contract/rule.js';
import { compileRule, unplanned } from './compiled-rule.js';
import type { PlannedRule } from './planned-rule.js';
import type { RuleHit } from './rule-hit.js';
import type { RuleTables } from './rule-tables.js';
import { scanByPlaces } from './scan-by-places.js';
import { scanRuleByRule } from './scan-rule-by-rule.js';
import type { WasmModule } from './web-assembly.js';

/** Planned into the tables when the package is built. */
export const SELF_TEST_RULE: Rule = {
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

/** Ids of the rules that both ways find in the texts, or `null` where they do not find the same. */
const foundBoth = (
  planned: readonly PlannedRule[],
  prefilter: WasmModule,
  texts: readonly Uint8Array[],
): ReadonlySet<string> | null => {
  const fast = scanByPlaces(prefilter, planned.map(compileRule), () => 0).findHits(texts);
  const plain = scanRuleByRule(planned.map(({ rule }) => compileRule(unplanned(rule)))).findHits(texts);
  const inOrder = (hits: readonly RuleHit[]): string[] =>
    hits.map((hit) => `${hit.rule} ${hit.start} ${hit.end}`).sort();
  if (JSON.stringify(fast.map(inOrder)) !== JSON.stringify(plain.map(inOrder))) return null;
  return new Set(fast.flat().map((hit) => planned[hit.rule]?.rule.id ?? ''));
};

/** @returns what is broken, or `null` when the thread is whole */
export const selfTest = ({ rules, selfTestRule, probes }: RuleTables, prefilter: WasmModule): string | null => {
  if (rules.length === 0) return 'the rule tables hold no rule';
  const probed = new Set(probes.map(({ ruleId }) => ruleId));
  const planned = [selfTestRule, ...rules.filter(({ rule }) => probed.has(rule.id))];
  const found = foundBoth(planned, prefilter, [TEXT, ...probes.map(({ text }) => Buffer.from(text, 'utf8'))]);
  if (found === null) return 'the scanner’s self-test found something else than RE2 alone';
  const missed = [SELF_TEST_RULE.id, ...probed].find((id) => !found.has(id));
  return missed === undefined ? null : `the scanner’s self-test did not find a value of rule "${missed}"`;
};
