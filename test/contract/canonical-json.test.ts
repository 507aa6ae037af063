import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.js';

describe('canonical JSON', () => {
  it.each<[value: unknown, text: string]>([
    [{ b: 1, a: [3, 2] }, '{"a":[3,2],"b":1}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [[undefined], '[null]'],
    [new Set(['b', 'a']), '["a","b"]'],
    [
      new Map([
        ['b', 1],
        ['a', 2],
      ]),
      '[["a",2],["b",1]]',
    ],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['"', '"\\""'],
  ])('of %j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is one text for one value, whatever the order of its members, and reads back to it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
