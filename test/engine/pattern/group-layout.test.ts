import RE2 from 're2';
import { describe, expect, test } from 'vitest';
import { groupLayout, withoutGroups } from '../../../src/engine/pattern/group-layout.js';
import { parsePattern } from '../../../src/engine/pattern/parse-pattern.js';

const parsed = (pattern: string) => {
  const found = parsePattern(pattern);
  if (found === null) throw new Error(`the pattern is not covered: ${pattern}`);
  return found;
};

describe('where the value stands in a match', () => {
  test.each<[string, number, { afterStart: number; beforeEnd: number } | null]>([
    ['ab+', 0, { afterStart: 0, beforeEnd: 0 }],
    ['key=(\\w+)', 1, { afterStart: 4, beforeEnd: 0 }],
    ['"(\\w+)"', 1, { afterStart: 1, beforeEnd: 1 }],
    ['(a(b+)c)d', 2, { afterStart: 1, beforeEnd: 2 }],
    ['\\bkey=(\\w+)\\b', 1, { afterStart: 4, beforeEnd: 0 }],
    ['key\\s*=(\\w+)', 1, null],
    ['(?:a(b)|c)', 1, null],
    ['(a)+', 1, null],
    ['(?i)key=(a)', 1, null],
    ['(é)x', 1, { afterStart: 0, beforeEnd: 1 }],
  ])('%s, group %i', (pattern, group, layout) => {
    expect(groupLayout(parsed(pattern), group)).toEqual(layout);
  });
});

describe('a pattern without its groups', () => {
  test.each<[string, number, string]>([
    ['(a)(b)\\((c)', 0, '(?:a)(?:b)\\((?:c)'],
    ['(a)(b)\\((c)', 2, '(?:a)(b)\\((?:c)'],
    ['(?P<name>a)(?:b)(c)', 1, '(a)(?:b)(?:c)'],
  ])('%s keeps group %i', (pattern, kept, expected) => {
    const text = withoutGroups(pattern, parsed(pattern), kept);
    expect(text).toBe(expected);
    expect(() => new RE2(text, 'u')).not.toThrow();
  });
});
