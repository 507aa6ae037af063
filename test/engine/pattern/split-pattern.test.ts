import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../../src/engine/pattern/byte-set.js';
import { parsePattern } from '../../../src/engine/pattern/parse-pattern.js';
import { splitPattern } from '../../../src/engine/pattern/split-pattern.js';

/** Heads as text, a set of several bytes in brackets. */
const splitOf = (pattern: string, kept: number) => {
  const { heads, rest } = splitPattern(pattern, parsePattern(pattern) ?? expect.fail('not read'), kept);
  const spelled = heads.map((head) =>
    head
      .map((set) => String.fromCharCode(...bytesOf(set)))
      .map((text) => (text.length === 1 ? text : `[${text}]`))
      .join(''),
  );
  return [spelled, rest];
};

describe('a pattern is split into fixed beginnings and a rest', () => {
  test.each<[string, number, string[], string]>([
    ['abc(\\d+)', 1, ['abc'], '(\\d+)'],
    ['(?i:ab)x*', 0, ['[Aa][Bb]'], 'x*'],
    ['(?i)ab(x*)', 1, ['[Aa][Bb]'], '(?i)(x*)'],
    ['(?:ab|cd)e(x*)y', 1, ['abe', 'cde'], '(x*)y'],
    ['ab?c\\d*', 0, ['ac', 'abc'], '\\d*'],
    ['[01]{3}', 0, ['[01][01][01]'], ''],
    ['(a)b(c)d', 2, ['ab'], '(c)d'],
    ['x*ab', 0, [''], 'x*ab'],
    ['\\bab', 0, [''], '\\bab'],
    ['ab|cd', 0, ['ab', 'cd'], ''],
    ['ab|c*d', 0, [''], 'ab|c*d'],
  ])('%s, group %i', (pattern, kept, heads, rest) => {
    expect(splitOf(pattern, kept)).toEqual([heads, rest]);
  });

  test.each<[string, string[], string]>([
    ['maps?\\d*', ['map'], 's?\\d*'],
    ['(?:map|maps)\\d*', [''], '(?:map|maps)\\d*'],
    ['maps?-\\d*', ['map-', 'maps-'], '\\d*'],
  ])('no two of which a text can begin with: %s', (pattern, heads, rest) => {
    expect(splitOf(pattern, 0)).toEqual([heads, rest]);
  });
});
