import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSurfaceOf } from '../../src/gate/json-surface.js';
import { readRequest } from '../../src/gate/read-request.js';

const documentOf = (content: unknown) =>
  readRequest(Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }))).document;
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

describe('the JSON of a request as it is scanned', () => {
  it('is the body where its texts are short', () => {
    const document = documentOf(words(100));
    const surface = jsonSurfaceOf(document);
    expect(surface.bytes).toBe(document.bytes);
    expect(surface.toDocument({ start: 3, end: 9 })).toEqual({ start: 3, end: 9 });
  });

  it('holds of a long text its ends, each at least 256 bytes, with a blank at the cut', () => {
    const text = words(10_000);
    const { content } = JSON.parse(textOf(jsonSurfaceOf(documentOf(text)).bytes)).messages[0] as { content: string };
    const [head = '', tail = ''] = content.split('\n\n');
    for (const end of [head, tail]) expect(end.length >= 257 && end.length <= 513).toBe(true);
    expect([text.startsWith(head), text.endsWith(tail), head.at(-1), tail[0]]).toEqual([true, true, ' ', ' ']);
  });

  it.each([
    ['without a blank', 'k'.repeat(5000)],
    ['with blanks in the middle alone', `${'k'.repeat(2000)} a b ${'k'.repeat(2000)}`],
    ['with a blank at one end alone', `k ${'k'.repeat(300)} ${'k'.repeat(3000)}`],
  ])('holds a long text %s whole', (_what, text) => {
    const document = documentOf(text);
    expect(jsonSurfaceOf(document).bytes).toBe(document.bytes);
  });

  it('is JSON, and every span of it stands in the document where it says, cuts or none', () => {
    const unit = fc.constantFrom('a', 'Zq9', ' ', '\n', '"', '\\', '\\\\', 'é', '😀', '\u0001', '{', '}', ':');
    const string = fc.array(unit, { maxLength: 3000 }).map((parts) => parts.join(''));
    const at = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(string, { minLength: 1, maxLength: 4 }), at, at, (texts, from, size) => {
        const document = documentOf(texts.map((text) => ({ type: 'text', text })));
        const surface = jsonSurfaceOf(document);
        expect(isUtf8(surface.bytes)).toBe(true);
        JSON.parse(textOf(surface.bytes));
        const start = Math.floor(from * (surface.bytes.length - 1));
        const end = start + 1 + Math.floor(size * (surface.bytes.length - 1 - start));
        const found = textOf(surface.bytes.subarray(start, end))
          .split('\\n\\n')
          .filter((part) => part !== '');
        const span = surface.toDocument({ start, end });
        expect(span.start >= 0 && span.end <= document.bytes.length).toBe(true);
        // What stands before and behind a cut is the start and the end of what the span covers.
        const covered = textOf(document.bytes.subarray(span.start, span.end));
        const first = found[0] ?? '';
        const last = found.at(-1) ?? '';
        if (
          isUtf8(surface.bytes.subarray(start, end)) &&
          !/^\\?n|\\$/.test(textOf(surface.bytes.subarray(start, end)))
        ) {
          expect([covered.startsWith(first), covered.endsWith(last)]).toEqual([true, true]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
