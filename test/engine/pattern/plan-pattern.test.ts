import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../../src/engine/pattern/byte-set.js';
import { parsePattern } from '../../../src/engine/pattern/parse-pattern.js';
import { planPattern, type RulePlan } from '../../../src/engine/pattern/plan-pattern.js';

const planOf = (pattern: string): RulePlan | null => {
  const parsed = parsePattern(pattern);
  if (parsed === null) throw new Error(`the pattern is not covered: ${pattern}`);
  return planPattern(parsed);
};

/** Literals as text, sets of more bytes as `<n>`. */
const literalsOf = (plan: RulePlan | null): string[] =>
  (plan?.anchors ?? []).flatMap((anchor) =>
    anchor.literals.map((literal) =>
      literal
        .map((set) => (bytesOf(set).length === 1 ? String.fromCharCode(...bytesOf(set)) : `<${bytesOf(set).length}>`))
        .join(''),
    ),
  );

describe('the literals of a pattern', () => {
  test.each<[string, string[]]>([
    ['ghp_[A-Za-z0-9]{36}', ['ghp_']],
    ['\\b(?:AKIA|ASIA)[A-Z2-7]{16}', ['akia', 'asia']],
    ['[A-Za-z0-9]{32}\\.apps\\.example\\.org', ['.apps.']],
    ['[a-z]+zqxj[0-9]', ['zqxj']],
    ['(?:foo|bar)?quux', ['quux']],
    ['(?:zqx1)+[a-z]', ['zqx1']],
  ])('%s is searched by %j', (pattern, words) => {
    const literals = literalsOf(planOf(pattern));
    expect(literals).toHaveLength(words.length);
    for (const word of words) expect(literals.some((literal) => literal.includes(word.slice(1, 3)))).toBe(true);
  });

  test.each<[string, number[]]>([
    ['(?i)szqx', [0xc5, 0xbf]],
    ['(?i)kzqx', [0xe2, 0x84, 0xaa]],
  ])('of %s take in what folds to its first letter', (pattern, front) => {
    const fronts = (planOf(pattern)?.anchors ?? []).flatMap(({ literals }) =>
      literals.map((literal) => literal.slice(0, front.length).flatMap((set) => bytesOf(set))),
    );
    expect(fronts).toContainEqual(front);
  });

  test.each([['[a-z]*'], ['(?:abc)?'], ['.{3,}'], ['[A-Za-z0-9]{40}'], ['\\b']])('%s has none', (pattern) => {
    expect(planOf(pattern)).toBeNull();
  });
});

describe('what stands around a literal', () => {
  test('is a fixed number of bytes where the pattern says so', () => {
    expect(planOf('[0-9a-f]{8}\\.zqxj')?.anchors[0]?.start).toEqual({ kind: 'fixed', bytesBefore: 8 });
    expect(planOf('[0-9a-f]{8,9}\\.zqxj')?.anchors[0]?.start.kind).toBe('found');
  });

  test('is probed where single bytes are certain', () => {
    const probes = planOf('\\bzq_[a-z]{4}\\.[0-9]{30}')?.anchors[0]?.probes ?? [];
    const dot = probes.find(({ offset }) => offset === 7);
    expect(dot === undefined ? [] : bytesOf(dot.set)).toEqual([0x2e]);
  });

  test('is a long run for tokens of letters and digits, and is none for assignments', () => {
    expect(planOf('ghp_[A-Za-z0-9]{36}')?.anchors[0]?.inRuns).toBe(true);
    expect(planOf('zqxj = "[a-z]{30}"')?.anchors[0]?.inRuns).toBe(false);
  });

  test('is looked for from another place when the first has too many ways to begin', () => {
    const pattern = '(?:user|login)[a-z]{0,30}=[^\\n]{0,200}\\n(?:#[^\\n]{0,200}\\n){0,3}[a-z]{0,30}zqxjvw=[0-9]+';
    expect(planOf(pattern)).not.toBeNull();
  });
});
