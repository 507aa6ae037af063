import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeAt, placeFinder, plainValue } from '../../src/config/json-document.js';
import { DEEPEST_NESTING, readStrictJson } from '../../src/config/strict-json.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `line:column message` of every problem. */
function problemsOf(input: string | Uint8Array): readonly string[] {
  const read = readStrictJson(typeof input === 'string' ? bytes(input) : input);
  const placeOf = placeFinder(read.text);
  return read.problems.map((problem) => {
    const place = placeOf(problem.offset);
    return `${place.line}:${place.column} ${problem.message}`;
  });
}

describe('a strict JSON reader', () => {
  it.each<[title: string, input: string, problems: readonly string[]]>([
    ['an empty text', '', ['1:1 is empty; one JSON object is due']],
    ['blanks alone', ' \n ', ['2:2 is empty; one JSON object is due']],
    ['a name twice', '{"a": 1,\n "a": 2}', ['2:2 names a a second time']],
    ['a name twice, once escaped', '{"a": 1, "\\u0061": 2}', ['1:10 names a a second time']],
    ['a name twice in depth', '{"a": {"b": [1, {"c": 1, "c": 1}]}}', ['1:26 names a.b[1].c a second time']],
    ['a name three times', '{"a":1,"a":1,"a":1}', ['1:8 names a a second time', '1:14 names a a second time']],
    ['a name that needs quotes twice', '{"a b":{"c":1,"c":1}}', ['1:15 names "a b".c a second time']],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', ['1:16 names __proto__ a second time']],
    ['content after the value', '{}\n{}', ['2:1 has content after the JSON value']],
    ['a second value on the same line', '{} true', ['1:4 has content after the JSON value']],
    ['a byte order mark', '\ufeff{}', ['1:1 starts with a byte order mark; save it as plain UTF-8']],
    ['a comma too many in an object', '{"a":1,}', ['1:7 has a "," before "}"']],
    ['a comma too many in a list', '[1,]', ['1:3 has a "," before "]"']],
    ['a comma missing', '{"a":1\n"b":2}', ['2:1 has no "," before this']],
    ['a comma alone', '[,]', ['1:2 has "," where a value is due']],
    ['an unclosed object', '{"a": 1', ['1:8 ends where "}" is due']],
    ['an unclosed text', '{"a": "b}', ['1:7 has a text that never ends']],
    ['a line end in a text', '{"a": "b\nc"}', ['1:9 has a line end inside a text; write \\n']],
    ['a tab in a text', '["a\tb"]', ['1:4 has a control character inside a text; write it as \\u00XX']],
    ['an unknown escape', '["a\\xb"]', ['1:4 has an escape that JSON does not know']],
    ['a short escape', '["\\u12"]', ['1:3 has an escape that JSON does not know']],
    ['half a surrogate pair', '["\\ud800"]', ['1:2 has half of a surrogate pair inside a text']],
    [
      'a comment',
      '{ // note\n}',
      ['1:3 has a comment, which JSON has not, where a member name in double quotes is due'],
    ],
    ['a name without quotes', '{a: 1}', ['1:2 has a word without quotes where a member name in double quotes is due']],
    ['single quotes', "{'a': 1}", ['1:2 has "\'" where a member name in double quotes is due']],
    ['a word that is no value', '[True]', ['1:2 has a word without quotes where a value is due']],
    ['NaN', '[NaN]', ['1:2 has a word without quotes where a value is due']],
    ['a leading zero', '[01]', ['1:2 has something that starts like a number and is none of JSON']],
    ['a plus sign', '[+1]', ['1:2 has a word without quotes where a value is due']],
    ['a number without a whole part', '[.5]', ['1:2 has a word without quotes where a value is due']],
    ['a number that ends in a point', '[1.]', ['1:2 has something that starts like a number and is none of JSON']],
    ['a hexadecimal number', '[0x10]', ['1:2 has something that starts like a number and is none of JSON']],
    ['a minus alone', '[-]', ['1:2 has something that starts like a number and is none of JSON']],
    ['a number without bound', '[1e999]', ['1:2 has a number that is too large to hold']],
    [
      'several faults at once',
      '{"a":1,"a":01,}\nx',
      [
        '1:8 names a a second time',
        '1:12 has something that starts like a number and is none of JSON',
        '1:14 has a "," before "}"',
        '2:1 has content after the JSON value',
      ],
    ],
    ['columns are characters', '{"é😀":1,"é😀":2}', ['1:9 names "é😀" a second time']],
    ['CRLF and CR are line ends', '{\r\n\r"a":1,"a":1}', ['3:7 names a a second time']],
  ])('names line and column of %s', (_title, input, problems) => {
    expect(problemsOf(input)).toEqual(problems);
  });

  it('names the place of the first byte that is no UTF-8 and reads on', () => {
    const text = new Uint8Array([...bytes('{"a":\n"é'), 0xff, ...bytes('", "a": 1}')]);
    expect(problemsOf(text)).toEqual(['2:3 holds bytes that are no UTF-8', '2:7 names a a second time']);
  });

  it('finds a sequence that the end of the file cuts off', () => {
    expect(problemsOf(new Uint8Array([...bytes('{} '), 0xe2, 0x82]))).toEqual([
      '1:4 holds bytes that are no UTF-8',
      '1:4 has content after the JSON value',
    ]);
  });

  it('reads down to the deepest level and refuses one more', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(problemsOf(nested(DEEPEST_NESTING))).toEqual([]);
    expect(problemsOf(nested(DEEPEST_NESTING + 1))).toEqual(['1:65 is nested deeper than 64 levels']);
    expect(problemsOf(nested(500_000))).toEqual(['1:65 is nested deeper than 64 levels']);
  });

  it('takes __proto__ as a name like any other, which reaches no prototype', () => {
    const { root } = readStrictJson(bytes('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}'));
    expect(root).not.toBeNull();
    expect(nodeAt(root, ['__proto__', 'polluted'])).toMatchObject({ kind: 'boolean', value: true });
    const value = root === null ? null : plainValue(root);
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never repeats a word that stands without quotes', () => {
    const secret = `sk-${'q7'.repeat(12)}`;
    expect(problemsOf(`{"key": ${secret}}`).join()).not.toContain('q7');
    expect(problemsOf(`{"key": 12${secret}}`).join()).not.toContain('q7');
  });

  it('reads what JSON.parse reads, to the same value, and places every value where it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!/\\ud[89a-f]/i.test(text));
        const read = readStrictJson(bytes(text));
        expect(read.problems).toEqual([]);
        expect(read.root === null ? undefined : plainValue(read.root)).toEqual(JSON.parse(text));
        expect(text.slice(read.root?.start, read.root?.end)).toBe(text.trim());
      }),
    );
  });

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,-+.01eEtrufalsn \\\n') }), (text) => {
        const accepted = readStrictJson(bytes(text)).problems.length === 0;
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        if (accepted) expect(parses).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
