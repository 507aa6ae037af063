/** The owner's own patterns (`coldseal.private`) as rules: the whole match goes, nothing is filtered. */
import type { Rule } from '../contract/rule.js';
import type { PrivatePattern } from '../contract/settings.js';
import { findWithRule } from './find-with-rule.js';
import { refusePlaceholderRule } from './refuse-placeholder-rule.js';

const kindName = (id: string): string => id.toLowerCase().replace(/[^a-z0-9_.-]/g, '_');

/**
 * One rule a pattern, in the order given. Throws `SCANNER_DEGRADED` naming the pattern's id when RE2 cannot compile it,
 * when it matches the empty text, or when it matches what blanking writes.
 */
export const privateRules = (patterns: readonly PrivatePattern[]): readonly Rule[] =>
  patterns.map(({ id, pattern, severity }) => {
    const rule: Rule = {
      id: `private.${id}`,
      kind: `private:${kindName(id)}`,
      family: 'private',
      severity,
      description: 'A pattern of the owner’s.',
      pattern,
      group: 0,
      filters: [],
      source: 'the machine file',
    };
    const owner = `coldseal.private of the machine file, pattern "${id}"`;
    refusePlaceholderRule(owner, findWithRule(rule, owner));
    return rule;
  });
