import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitLines } from '../../../src/app/scan/split-lines.js';

const shown = (chunks: readonly Uint8Array[], mostBytes: number): readonly string[] => {
  const splitter = splitLines(mostBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.finish()].map((line) =>
    line.kind === 'line' ? line.bytes.toString('latin1') : 'TOO LONG',
  );
};

describe('splitting a stream into lines', () => {
  test.each([
    ['nothing', [], []],
    ['a last line without its end', ['a\nb'], ['a', 'b']],
    ['empty lines', ['\n\n'], ['', '']],
    ['a line over many chunks', ['a', 'b', 'c\nd', '\n'], ['abc', 'd']],
    ['a line at the bound', ['12345678\n'], ['12345678']],
    ['a line over the bound, and the next', ['123456789\nx\n'], ['TOO LONG', 'x']],
    ['a line over the bound in pieces, at the end', ['12345', '6789'], ['TOO LONG']],
  ])('gives %s', (_name, chunks, lines) => {
    expect(
      shown(
        chunks.map((chunk) => Buffer.from(chunk)),
        8,
      ),
    ).toEqual(lines);
  });

  test('gives the same lines wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r') }), fc.array(fc.nat(9)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        expect(shown(chunks, 4)).toEqual(shown([bytes], 4));
      }),
    );
  });
});
