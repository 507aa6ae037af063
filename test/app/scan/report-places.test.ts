import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAddedLines } from '../../../src/app/scan/added-lines.js';
import { locateSpans } from '../../../src/app/scan/locate-spans.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('lines that are new', () => {
  test.each([
    ['a new file', 'a\nb\n', [], [1, 2]],
    ['an added line', 'a\nb\nc\n', ['a\nc\n'], [2]],
    ['a moved line', 'b\na\n', ['a\nb\n'], []],
    ['a copy of a line, with the line itself', 'a\na\n', ['a\n'], [1, 2]],
    ['a changed line end', 'a\r\nb\n', ['a\nb\n'], [1]],
    ['a merge that takes each line from a parent', 'a\nb\n', ['a\n', 'b\n'], []],
    ['a merge with a line of its own', 'a\nx\nb\n', ['a\n', 'b\n'], [2]],
    ['a last line without its end', 'a\nb', ['a\n'], [2]],
  ])('of %s', (_name, text, before, expected) => {
    const places = [1, 2, 3].map((line) => ({ startLine: line, endLine: line }));
    const lines = openAddedLines(bytes(text), places);
    for (const earlier of before) lines.tellBefore(bytes(earlier));
    const touched = places.filter((place) => lines.touches(place)).map(({ startLine }) => startLine);
    expect(touched).toEqual(expected);
  });

  test('are touched by a finding that reaches into one', () => {
    const places = [
      { startLine: 1, endLine: 3 },
      { startLine: 3, endLine: 3 },
    ];
    const lines = openAddedLines(bytes('a\nb\nc\n'), places);
    lines.tellBefore(bytes('a\nc\n'));
    expect(places.map((place) => lines.touches(place))).toEqual([true, false]);
  });
});

describe('places of spans', () => {
  test('are 1-based lines, byte columns with the last byte, and UTF-16 columns with the byte after', () => {
    const text = 'é😀ab\nxy\nz';
    const at = Buffer.byteLength('é😀');
    expect(
      locateSpans(bytes(text), [
        { start: at, end: at + 2 },
        { start: at + 3, end: at + 7 },
      ]),
    ).toEqual([
      { startLine: 1, endLine: 1, startColumn: 7, endColumn: 8, startUnit: 4, endUnit: 6 },
      { startLine: 2, endLine: 3, startColumn: 1, endColumn: 1, startUnit: 1, endUnit: 2 },
    ]);
  });

  test('are those that counting from the start gives', () => {
    const unit = fc.constantFrom('a', 'é', '日', '😀', '\n');
    fc.assert(
      fc.property(fc.array(fc.string({ unit, minLength: 1, maxLength: 6 }), { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        let at = 0;
        const spans = parts.flatMap((part, index) => {
          const start = at;
          at += Buffer.byteLength(part);
          return index % 2 === 0 ? [{ start, end: at }] : [];
        });
        const naive = spans.map(({ start }) => {
          const lines = Buffer.from(text).subarray(0, start).toString('utf8').split('\n');
          const last = lines.at(-1) ?? '';
          return [lines.length, Buffer.byteLength(last) + 1, last.length + 1];
        });
        const found = locateSpans(bytes(text), spans);
        expect(found.map(({ startLine, startColumn, startUnit }) => [startLine, startColumn, startUnit])).toEqual(
          naive,
        );
      }),
    );
  });
});
