/** The owner's patterns are taken as they are, and refused when they cannot work. */
import { describe, expect, it } from 'vitest';
import { findWithRule } from '../../src/rules/find-with-rule.js';
import { privateRules } from '../../src/rules/private-rules.js';

describe('privateRules', () => {
  it('makes one rule a pattern, the whole match going', () => {
    const [rule] = privateRules([{ id: 'student', pattern: 'S[0-9]{7}', severity: 'warn' }]);
    expect(rule).toMatchObject({ id: 'private.student', kind: 'private:student', severity: 'warn', group: 0 });
    expect(rule && findWithRule(rule)(Buffer.from('id S1234567.'))).toEqual([{ start: 3, end: 11 }]);
  });

  it.each([
    ['(?<!x)y', /coldseal\.private .*pattern "one": RE2 cannot compile/],
    ['\\[bl', /pattern "one": it matches "\[blanked"/],
    ['[a-z]+', /pattern "one": it matches "\[blanked"/],
  ])('refuses %s', (pattern, message) => {
    expect(() => privateRules([{ id: 'one', pattern, severity: 'block' }])).toThrow(message);
  });
});
