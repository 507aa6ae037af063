/** Every rule over the whole text, one after the other: slow, obviously right, the measure of the fast scanner. */
import type { CompiledRule } from './compiled-rule.js';
import type { RuleHit, TextScanner } from './rule-hit.js';
import { searchRule } from './search-rule.js';

export const scanRuleByRule = (rules: readonly CompiledRule[]): TextScanner => ({
  findHits: (texts) =>
    texts.map((text) => {
      const hits: RuleHit[] = [];
      rules.forEach((rule, index) => {
        searchRule(rule, index, text, hits);
      });
      return hits;
    }),
});
