import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRequest } from '../../src/gate/read-request.js';
import { writeRequest } from '../../src/gate/write-request.js';
import { bodyOf, replaceEverywhere, textOf } from './made-body.js';

/** One value written in a hand that the seed decides: blanks, escapes where none are due, numbers in odd forms. */
const writtenBy = (value: unknown, draw: () => number): string => {
  const gap = (): string => ['', '', ' ', '\n\t', '\r\n'][draw() % 5] ?? '';
  const text = (plain: string): string =>
    `"${[...plain]
      .map((character) => {
        const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
        if (draw() % 6 === 0) return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
        if (character === '/' && draw() % 2 === 0) return '\\/';
        return JSON.stringify(character).slice(1, -1);
      })
      .join('')}"`;
  const write = (one: unknown): string => {
    if (typeof one === 'string') return text(one);
    if (typeof one === 'number') return draw() % 3 === 0 && Number.isInteger(one) ? `${one}.0e0` : String(one);
    if (Array.isArray(one)) return `[${gap()}${one.map(write).join(`${gap()},${gap()}`)}${gap()}]`;
    if (typeof one === 'object' && one !== null) {
      const members = Object.entries(one).map(([name, member]) => `${text(name)}${gap()}:${gap()}${write(member)}`);
      return `{${gap()}${members.join(`${gap()},${gap()}`)}${gap()}}`;
    }
    return String(one);
  };
  return `${gap()}${write(value)}${gap()}`;
};

const hand = fc.array(fc.nat(60), { minLength: 1, maxLength: 40 }).map((numbers) => {
  let at = 0;
  return (): number => {
    at = (at + 1) % numbers.length;
    return numbers[at] ?? 0;
  };
});

const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(words, tie('any'), { maxKeys: 4 }),
    tie('any').map((inner) => JSON.stringify({ inner })),
    words.map((text) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`),
  ),
})).any;
const body = fc.dictionary(words, value, { maxKeys: 5 });

describe('writing a request back', () => {
  it('gives the very bytes where nothing is replaced', () => {
    fc.assert(
      fc.property(body, hand, (made, draw) => {
        const bytes = Buffer.from(writtenBy(made, draw));
        expect(writeRequest(readRequest(bytes), () => [])).toBe(bytes);
        // The same through every leaf: what is replaced by itself may be written anew, and says the same.
        const request = readRequest(bytes);
        const rewritten = writeRequest(request, (leaf) => {
          const own = request.leaves[leaf]?.bytes ?? new Uint8Array();
          return own.length === 0 || /^-?\d/.test(textOf(own)) ? [] : [{ start: 0, end: own.length, bytes: own }];
        });
        expect(JSON.parse(textOf(rewritten))).toEqual(JSON.parse(textOf(bytes)));
      }),
    );
  });

  it('changes one leaf and no other, whatever it stands in', () => {
    fc.assert(
      fc.property(body, hand, fc.nat(), words, fc.nat(), fc.nat(), (made, draw, pick, put, from, to) => {
        const bytes = Buffer.from(writtenBy(made, draw));
        const request = readRequest(bytes);
        fc.pre(request.leaves.length > 0);
        const leaf = pick % request.leaves.length;
        const text = textOf(request.leaves[leaf]?.bytes);
        const starts = [...text].map((_, at) => Buffer.byteLength([...text].slice(0, at).join('')));
        const edges = [...starts, Buffer.byteLength(text)];
        const ends = [edges[from % edges.length] ?? 0, edges[to % edges.length] ?? 0].toSorted((a, b) => a - b);
        const [start = 0, end = 0] = ends;
        // A span is never empty.
        fc.pre(start < end);
        const mark = `<${put}>`;
        const written = writeRequest(request, (index) =>
          index === leaf ? [{ start, end, bytes: Buffer.from(mark) }] : [],
        );
        const again = readRequest(written);
        const due = Buffer.concat([
          Buffer.from(text).subarray(0, start),
          Buffer.from(mark),
          Buffer.from(text).subarray(end),
        ]).toString();
        // A string that was JSON may be so no more, and an equal key may meet its like.
        fc.pre(again.leaves.length === request.leaves.length);
        expect(textOf(again.leaves[leaf]?.bytes)).toBe(due);
        request.leaves.forEach(({ bytes: before }, index) => {
          if (index !== leaf) expect(textOf(again.leaves[index]?.bytes)).toBe(textOf(before));
        });
      }),
    );
  });

  it('finds what stands in a string of JSON, of JSON, of JSON, and leaves all three valid', () => {
    const inner = JSON.stringify({ token: 'a"needle\n"b', n: 1e3 });
    const made = { messages: [{ tool_calls: [{ function: { arguments: JSON.stringify({ run: inner }) } }] }] };
    const written = JSON.parse(textOf(replaceEverywhere(bodyOf(made), 'needle', '[blanked "x"]')));
    const run = JSON.parse(written.messages[0].tool_calls[0].function.arguments).run;
    expect(JSON.parse(run)).toEqual({ token: 'a"[blanked "x"]\n"b', n: 1000 });
  });

  it('writes a number that is blanked as a string', () => {
    const bytes = Buffer.from('{"metadata": {"card": 4111111, "b": 1.50}}');
    expect(textOf(replaceEverywhere(bytes, '4111111', '[blanked]'))).toBe(
      '{"metadata": {"card": "[blanked]", "b": 1.50}}',
    );
  });

  it.each(['base64', 'base64url'] as const)('writes a file back in %s', (encoding) => {
    const text = 'needle ??>>~~';
    const made = { messages: [{ content: [{ file: { file_data: Buffer.from(text).toString(encoding) } }] }] };
    const written = JSON.parse(textOf(replaceEverywhere(bodyOf(made), 'needle', 'n')));
    expect(written.messages[0].content[0].file.file_data).toBe(Buffer.from('n ??>>~~').toString(encoding));
  });

  it('keeps every byte outside a replaced span, escapes and numbers as they were typed', () => {
    const bytes = Buffer.from('{ "a":"\\u0041needle\\/\\ud83d\\ude00" ,\n"n":1.0E+2,"b":"x\\tneedle" }');
    expect(textOf(replaceEverywhere(bytes, 'needle', 'X'))).toBe(
      '{ "a":"\\u0041X\\/\\ud83d\\ude00" ,\n"n":1.0E+2,"b":"x\\tX" }',
    );
  });
});
