import RE2 from 're2';
import { describe, expect, test } from 'vitest';
import { openChoiceWalk } from '../../src/engine/choice-walk.js';
import { openFirstMatch } from '../../src/engine/first-match.js';
import { ASK_RE2, type FirstMatch, type Found, NO_MATCH } from '../../src/engine/match-answers.js';
import { type MatchProgram, matchProgram } from '../../src/engine/pattern/match-program.js';
import { parsePattern } from '../../src/engine/pattern/parse-pattern.js';
import { patternSource } from '../support/pattern-grammar.js';

const NO_GROUP = [-1, -1];

const programOf = (pattern: string, group: number): MatchProgram | null => {
  const parsed = parsePattern(pattern);
  return parsed === null ? null : matchProgram(parsed.root, group);
};

/** End, value's start and value's end of the match at `offset`, as RE2 says. */
const asRe2 = (regex: RE2, text: Buffer, offset: number, group: number): readonly number[] => {
  regex.lastIndex = offset;
  const indices = regex.exec(text)?.indices;
  return indices === undefined ? [NO_MATCH] : [indices[0]?.[1] ?? -1, ...(indices[group] ?? NO_GROUP)];
};

const asFound = (matcher: FirstMatch, text: Buffer, offset: number): readonly number[] => {
  const found: Found = { start: -1, end: -1, walked: 0 };
  const to = matcher.matchAt(text, offset, found);
  return to < 0 ? [to] : [to, found.start, found.end];
};

/** Holds the ways against RE2 at every place of the texts; answers how often each of them answered. */
const compare = (pattern: string, group: number, texts: readonly Buffer[]): { matches: number; answers: number } => {
  const program = programOf(pattern, group);
  const counts = { matches: 0, answers: 0 };
  if (program === null) return counts;
  const regex = new RE2(pattern, 'dyu');
  const ways = {
    automaton: openFirstMatch(program, true, { bytes: 1e9 }),
    'no room': openFirstMatch(program, true, { bytes: 0 }),
    choices: openChoiceWalk(program),
  };
  for (const text of texts) {
    for (let offset = 0; offset <= text.length; offset += 1) {
      const wanted = asRe2(regex, text, offset, group);
      for (const [way, matcher] of Object.entries(ways)) {
        const answer = asFound(matcher, text, offset);
        if (answer[0] === ASK_RE2) continue;
        counts.answers += 1;
        if (answer[0] !== NO_MATCH) counts.matches += 1;
        const place = { pattern, group, text: text.toString('latin1'), offset, way };
        expect({ ...place, answer }).toEqual({ ...place, answer: wanted });
      }
    }
  }
  return counts;
};

describe('a match at a place is what RE2 says', () => {
  test.each(Array.from({ length: 20 }, (_, index) => index))('for random patterns, seed %i', (seed) => {
    const { pattern, below } = patternSource(7000 + seed);
    let matches = 0;
    for (let round = 0; round < 40; round += 1) {
      const { source, groups, sample } = pattern();
      const texts = Array.from({ length: 3 }, () =>
        Buffer.from(`${sample()}${below(2) === 0 ? ' ' : '\n'}${sample()}`),
      );
      if (groups > 0) matches += compare(source, 1 + below(groups), texts).matches;
    }
    expect(matches).toBeGreaterThan(0);
  });

  test.each<[string, number, string]>([
    ['a(b*?)(?:c|bc)', 1, 'abbc abc ac'],
    ['(?:(a)|b)+', 1, 'abab bb a'],
    ['(?:k|kk)(k*)$', 1, 'kkkk'],
    ['\\b(\\w+)\\b;', 1, 'one; two three;'],
    ['(?m)^(.*)$', 1, 'one\ntwo\n\nfour'],
    ['x(?:y(z)?)?', 1, 'xyz xy x'],
    ['(a|ab)(c|bcd)(d*)', 2, 'abcd abcdd'],
  ])('for %s, group %i', (pattern, group, text) => {
    expect(compare(pattern, group, [Buffer.from(text)]).answers).toBeGreaterThan(0);
  });

  test('and is left to RE2 where a character outside ASCII may take part, only there', () => {
    const program = programOf('"([^"]+)"', 1);
    const matcher = openFirstMatch(program ?? expect.fail('not covered'), true, { bytes: 1e9 });
    expect(asFound(matcher, Buffer.from('"é"'), 0)).toEqual([ASK_RE2]);
    expect(asFound(matcher, Buffer.from('"e"é'), 0)).toEqual([3, 1, 2]);
    expect(asFound(matcher, Buffer.from('é"e"'), 2)).toEqual([5, 3, 4]);
  });

  test.each(['(a*)*b', '(?:a?){2,}(b)', '(?:|a)+(b)'])(
    'and is not looked for in %s, whose loop may be empty',
    (pattern) => {
      expect(programOf(pattern, 1)).toBeNull();
    },
  );
});

/** Time is not looked at: what is not linear would not come to an end. */
describe('a long text of choices comes to an end', () => {
  test.each(['(a|aa)+b', '(?:a{0,40}?){1}(?:a|aa|aaa)*c', '([a-z]{0,300})[a-z]{0,300}9'])('for %s', (pattern) => {
    const program = programOf(pattern, 1) ?? expect.fail('not covered');
    const text = Buffer.alloc(200_000, 'a');
    const found: Found = { start: -1, end: -1, walked: 0 };
    for (const matcher of [openFirstMatch(program, true, { bytes: 1e6 }), openChoiceWalk(program)]) {
      expect([NO_MATCH, ASK_RE2]).toContain(matcher.matchAt(text, 0, found));
    }
  });
});
