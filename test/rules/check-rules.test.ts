/** The shipped rules against their own examples, and the checker against rules that are wrong on purpose. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkRules } from '../../src/rules/check-rules.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import type { DocumentedRule } from '../../src/rules/rule-file.js';

const SHIPPED = fileURLToPath(new URL('../../config/rules', import.meta.url));

const rule = (changes: Partial<DocumentedRule>): DocumentedRule => ({
  id: 'thing',
  kind: 'token:thing',
  family: 'secret',
  severity: 'block',
  description: 'A thing.',
  pattern: 'thing_[a-z0-9]{20}',
  group: 0,
  filters: [],
  source: 'a manual',
  examples: ['thing_{alnum:20}', 'x thing_{alnum:20} y'],
  counterexamples: ['thing_{alnum:5}', 'something'],
  ...changes,
});

const problemsOf = (changes: Partial<DocumentedRule>): readonly string[] =>
  checkRules({ rules: [rule(changes)], digest: '' }).map(({ problem }) => problem);

describe('the shipped rules', () => {
  const shipped = loadRuleSet(SHIPPED);

  it('are at least 400 and find every one of their examples and none of their counterexamples', () => {
    expect(shipped.rules.length).toBeGreaterThanOrEqual(400);
    expect(checkRules(shipped)).toEqual([]);
  }, 120_000);

  it('have a digest that does not depend on the order of the files', () => {
    expect(loadRuleSet([SHIPPED]).digest).toBe(shipped.digest);
    expect(shipped.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('checkRules names what is wrong with a rule', () => {
  it.each<[string, Partial<DocumentedRule>, RegExp]>([
    ['an example that is not found', { examples: ['thing_{alnum:3}', 'thing_{alnum:20}'] }, /example 1 is not found/],
    ['a counterexample that is found', { counterexamples: ['no', 'thing_{alnum:20}'] }, /counterexample 2 is found/],
    ['a pattern RE2 does not compile', { pattern: 'thing_(?=x)' }, /RE2 cannot compile/],
    ['a group that is not there', { group: 2 }, /group 2 is not in the pattern/],
    ['a kind of another family', { kind: 'net:thing' }, /does not fit family/],
    ['no source', { source: '' }, /names no source/],
    ['one example only', { examples: ['thing_{alnum:20}'] }, /fewer than 2 examples/],
    ['a rule that finds a placeholder', { pattern: 'thing_[a-z0-9]{20}|blanked' }, /finds a placeholder/],
  ])('%s', (_title, changes, expected) => {
    expect(problemsOf(changes).join('; ')).toMatch(expected);
  });

  it('nothing at all for a good rule', () => {
    expect(problemsOf({})).toEqual([]);
  });
});
