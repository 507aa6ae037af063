import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blank, blankedLength, placeholder } from '../../src/bundle/blank.js';
import type { BundleText } from '../../src/bundle/bundle-text.js';
import { mergeSpans } from '../../src/bundle/merge-spans.js';
import { numberValues } from '../../src/bundle/number-values.js';
import { anyTextWithSpans, spanOf, textOf } from '../support/made-texts.js';

const blanked = (text: BundleText): string => Buffer.from(blank([text], numberValues([text])).bytes).toString();
const lines = (text: string): number => text.split('\n').length;

describe('blank', () => {
  it.each([
    ['a span inside a line', 'a SECRET b', spanOf(2, 8), 'a [blanked token:test #1] b'],
    ['the whole text', 'SECRET', spanOf(0, 6), '[blanked token:test #1]'],
    [
      'a kind without numbers',
      'at 10.1.2.3',
      spanOf(3, 11, { kind: 'net:ipv4', family: 'network' }),
      'at [blanked net:ipv4]',
    ],
    ['several lines', 'a\nBEGIN\nxx\nEND\nb', spanOf(2, 14, { kind: 'pem:key' }), 'a\n[blanked pem:key #1]\n\n\nb'],
    ['a span that takes its last line end', 'xx\nyy\nb', spanOf(0, 6), '[blanked token:test #1]\n\nb'],
    ['line ends of two bytes', 'xx\r\nyy\r\nb', spanOf(0, 8), '[blanked token:test #1]\r\n\r\nb'],
    ['half a line end of two bytes', 'xx\r\nb', spanOf(0, 3), '[blanked token:test #1]\r\nb'],
    ['a carriage return alone', 'xx\ryy\nb', spanOf(0, 5), '[blanked token:test #1]\nb'],
  ])('replaces %s', (_what, text, span, expected) => {
    expect(blanked(textOf(text, { spans: [span] }))).toBe(expected);
  });

  it('keeps the sign of each further line in a diff, and nothing else of it', () => {
    const diff = ' a\n+BEGIN\n+xx\n+END\n b\n';
    const text = textOf(diff, { keepsSigns: true, spans: [spanOf(4, 18, { kind: 'pem:key' })] });
    expect(blanked(text)).toBe(' a\n+[blanked pem:key #1]\n+\n+\n b\n');
  });

  it('takes no sign where a further line is empty or ends the span', () => {
    expect(blanked(textOf('+x\n\n+y', { keepsSigns: true, spans: [spanOf(1, 4)] }))).toBe(
      '+[blanked token:test #1]\n\n+y',
    );
    expect(blanked(textOf('+x\n\r\n+y', { keepsSigns: true, spans: [spanOf(1, 6)] }))).toBe(
      '+[blanked token:test #1]\n\r\n+y',
    );
  });

  it('gives two values that touch two placeholders and equal values one number', () => {
    const text = textOf('AABBAA', { spans: [spanOf(0, 2), spanOf(2, 4, { valueId: 1 }), spanOf(4, 6)] });
    expect(blanked(text)).toBe('[blanked token:test #1][blanked token:test #2][blanked token:test #1]');
  });

  it('refuses spans that are out of order, overlap, are empty or reach outside the text', () => {
    for (const spans of [
      [spanOf(2, 4), spanOf(0, 2)],
      [spanOf(0, 3), spanOf(2, 4)],
      [spanOf(1, 1)],
      [spanOf(3, 9)],
      [spanOf(-1, 2)],
    ]) {
      expect(() => blanked(textOf('abcdef', { spans }))).toThrow(/out of order or outside/);
    }
  });

  it('keeps every byte outside the spans, every line, and says where it wrote', () => {
    fc.assert(
      fc.property(anyTextWithSpans(), fc.boolean(), ({ bytes, spans }, keepsSigns) => {
        const text = textOf(bytes, { keepsSigns, spans: mergeSpans(spans) });
        const numbers = numberValues([text]);
        const { bytes: out, texts } = blank([text], numbers);
        const [placed] = texts;
        expect(out.length).toBe(blankedLength(text, numbers));
        expect(lines(Buffer.from(out).toString('latin1'))).toBe(lines(Buffer.from(bytes).toString('latin1')));
        let before = 0;
        let after = 0;
        text.spans.forEach((span, index) => {
          const written = placed?.spans[index];
          const own = out.subarray(after, written?.start);
          expect(Buffer.from(own).equals(bytes.subarray(before, span.start))).toBe(true);
          const mark = Buffer.from(out.subarray(written?.start, written?.end)).toString('latin1');
          expect(mark.startsWith(placeholder(span, numbers))).toBe(true);
          const rest = mark.slice(placeholder(span, numbers).length);
          expect(rest).toMatch(keepsSigns ? /^(?:\r?\n[^\r\n]?|\r)*$/ : /^[\r\n]*$/);
          before = span.end;
          after = written?.end ?? 0;
        });
        expect(Buffer.from(out.subarray(after)).equals(bytes.subarray(before))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing when what it wrote is blanked once more', () => {
    fc.assert(
      fc.property(anyTextWithSpans(), fc.boolean(), ({ bytes, spans }, keepsSigns) => {
        const once = blank([textOf(bytes, { keepsSigns, spans: mergeSpans(spans) })], ONE_EACH);
        const twice = blank(once.texts, ONE_EACH);
        expect(Buffer.from(twice.bytes).equals(once.bytes)).toBe(true);
        expect(twice.texts.map(({ spans: placed }) => placed)).toEqual(once.texts.map(({ spans: placed }) => placed));
      }),
      { numRuns: 500 },
    );
  });

  it('moves exempt ranges with the bytes they stand on', () => {
    const text = textOf('xx keep yy keep', {
      spans: [spanOf(0, 2), spanOf(8, 10)],
      exempt: [
        { start: 3, end: 7 },
        { start: 11, end: 15 },
      ],
    });
    const [placed] = blank([text], ONE_EACH).texts;
    const kept = placed?.exempt.map(({ start, end }) => Buffer.from(placed.bytes.subarray(start, end)).toString());
    expect(kept).toEqual(['keep', 'keep']);
  });
});

const ONE_EACH = new Map([0, 1, 2, 3, 4, 5].map((id) => [id, id + 1]));
