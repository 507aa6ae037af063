import { describe, expect, test } from 'vitest';
import { parsePattern } from '../../../src/engine/pattern/parse-pattern.js';
import { byteLength, mostBytesInVain } from '../../../src/engine/pattern/pattern-node.js';

const lengthOf = (pattern: string): [number, number] | null => {
  const parsed = parsePattern(pattern);
  if (parsed === null) return null;
  const { least, most } = byteLength(parsed.root);
  return [least, most];
};

describe('the pattern reader', () => {
  test.each<[string, number, number]>([
    ['abc', 3, 3],
    ['', 0, 0],
    ['a|bcd|', 0, 3],
    ['a{3}', 3, 3],
    ['a{2,5}?', 2, 5],
    ['a{2,}', 2, Number.POSITIVE_INFINITY],
    ['a{,5}', 5, 5],
    ['(?:ab)+', 2, Number.POSITIVE_INFINITY],
    ['(?i)k', 1, 3],
    ['(?i)s', 1, 2],
    ['(?i:a)s', 2, 2],
    ['a(?i)b|k', 1, 3],
    ['.', 1, 4],
    ['[^"]', 1, 4],
    ['[a-z]', 1, 1],
    ['[]a]', 1, 1],
    ['[^]a]{2}', 2, 8],
    ['[a-]', 1, 1],
    ['[[:alnum:]_]', 1, 1],
    ['\\w\\d\\s', 3, 3],
    ['\\W', 1, 4],
    ['\\x41\\x{1F600}', 5, 5],
    ['é', 2, 2],
    ['^a\\b$', 1, 1],
    ['(?m:^)a(?m:$)', 1, 1],
    ['(?P<name>ab)(?<other>c)', 3, 3],
    ['https?://', 7, 8],
    ['\\.\\-\\/', 3, 3],
  ])('reads %s as %i to %i bytes', (pattern, least, most) => {
    expect(lengthOf(pattern)).toEqual([least, most]);
  });

  test.each([
    ['\\B'],
    ['\\pL'],
    ['\\p{Greek}'],
    ['\\Qa.b\\E'],
    ['\\C'],
    ['\\1'],
    ['(?=a)'],
    ['(?!a)'],
    ['(?i)é'],
    ['(?i)[^é]'],
    ['(?x)a b'],
    ['[a'],
    ['(a'],
    ['a)'],
    ['*a'],
    ['a{1001}'],
    ['[[:nothing:]]'],
    ['\\cA'],
  ])('leaves %s to the search of the whole text', (pattern) => {
    expect(parsePattern(pattern)).toBeNull();
  });

  test('knows where capturing groups open', () => {
    expect(parsePattern('(?:a)(b)(?P<c>d)\\((e)')?.groups).toMatchObject([
      { index: 1, at: 5, length: 1, end: 8, depth: 0 },
      { index: 2, at: 8, length: 6, end: 16, depth: 0 },
      { index: 3, at: 18, length: 1, end: 21, depth: 0 },
    ]);
  });
});

describe('bytes that an attempt may read in vain', () => {
  test.each<[string, number]>([
    ['abc', 3],
    ['key=[a-z]{8,}', 13],
    ['key=([a-z]{8,})', 13],
    ['a(?:b|c+)', 3],
    ['a*b', Number.POSITIVE_INFINITY],
    ['key=[a-z]{8,};', Number.POSITIVE_INFINITY],
    ['a{0,5}b{2,}', 8],
  ])('%s: %d', (pattern, bytes) => {
    const parsed = parsePattern(pattern);
    expect(parsed === null ? null : mostBytesInVain(parsed.root)).toBe(bytes);
  });
});
