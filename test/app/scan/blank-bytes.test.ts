import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blankBytes, scanTextOf } from '../../../src/app/scan/blank-bytes.js';
import { blankString } from '../../../src/app/scan/blank-string.js';
import type { SettledText } from '../../../src/app/scan/settle-texts.js';
import type { KnownSpan } from '../../../src/bundle/bundle-text.js';

const shared = (bytes: Uint8Array): Uint8Array => {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
};

const spanOf = (start: number, end: number): KnownSpan => ({
  start,
  end,
  kind: 'token:test',
  family: 'secret',
  severity: 'block',
  ruleId: 'test',
  line: 1,
  valueId: 0,
});

const settledWith = (bytes: Uint8Array, spans: readonly KnownSpan[]): Extract<SettledText, { ok: true }> => ({
  ok: true,
  text: { item: 'a text', part: 'text', bytes, keepsSigns: false, exempt: [], spans },
  heard: spans,
  numbers: new Map([[0, 1]]),
  valueBehind: () => undefined,
});

const MARK = '[blanked token:test #1]';

/** Blanks every `needle` of a text as it is scanned. */
const blankNeedle = (raw: Uint8Array, needle: string): Buffer => {
  const bytes = shared(raw);
  const scanText = scanTextOf(bytes);
  const text = Buffer.from(scanText.text);
  const spans: KnownSpan[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    spans.push(spanOf(at, at + Buffer.byteLength(needle)));
  }
  return Buffer.concat([...blankBytes(bytes, scanText, settledWith(scanText.text, spans))]);
};

const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('blanking bytes', () => {
  test.each([
    ['plain text', Buffer.from('a XYZ b'), Buffer.from(`a ${MARK} b`)],
    ['a byte order mark and CRLF', Buffer.from('\ufeffa\r\nXYZ\r\n'), Buffer.from(`\ufeffa\r\n${MARK}\r\n`)],
    [
      'bytes that are no UTF-8',
      Buffer.from('\xff\x00\xc3XYZ\xe2\x82', 'latin1'),
      Buffer.from(`\xff\x00\xc3${MARK}\xe2\x82`, 'latin1'),
    ],
    [
      'UTF-16, little end first',
      Buffer.from('\ufeffПри😀 XYZ é\r\n', 'utf16le'),
      Buffer.from(`\ufeffПри😀 ${MARK} é\r\n`, 'utf16le'),
    ],
    ['UTF-16, big end first', bigEndian('\ufeff日本XYZ'), bigEndian(`\ufeff日本${MARK}`)],
    ['nothing', Buffer.alloc(0), Buffer.alloc(0)],
  ])('keeps %s outside the spans', (_name, raw, blanked) => {
    expect(blankNeedle(raw, 'XYZ')).toEqual(blanked);
  });

  test('keeps lone surrogates and a last odd byte of UTF-16', () => {
    const raw = Buffer.concat([Buffer.from('\ufeffa\ud800XYZ\udc00', 'utf16le'), Buffer.from([0x41])]);
    const blanked = Buffer.concat([Buffer.from(`\ufeffa\ud800${MARK}\udc00`, 'utf16le'), Buffer.from([0x41])]);
    expect(blankNeedle(raw, 'XYZ')).toEqual(blanked);
  });

  test('gives any bytes back when nothing was found', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '\xff\xfe', '\xfe\xff', '\xef\xbb\xbf'),
        fc.uint8Array({ maxLength: 64 }),
        (mark, rest) => {
          const raw = Buffer.concat([Buffer.from(mark, 'latin1'), rest]);
          expect(blankNeedle(raw, 'a needle that is not there')).toEqual(raw);
        },
      ),
    );
  });
});

describe('blanking a string', () => {
  test('keeps whatever a string can hold outside the spans, lone surrogates too', () => {
    const odd = fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', '\ud800', '\udc00', '\0', '\n') });
    fc.assert(
      fc.property(odd, odd, (before, after) => {
        const text = `${before}XYZ${after}`;
        const start = Buffer.byteLength(before);
        const settled = settledWith(Buffer.from(text), [spanOf(start, start + 3)]);
        expect(blankString(text, settled)).toBe(`${before}${MARK}${after}`);
      }),
    );
  });
});
