import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, isBinaryFrom } from '../../src/source/decode-text.js';

const shared = (bytes: Uint8Array): Uint8Array => {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length + 7), 5, bytes.length);
  view.set(bytes);
  return view;
};

/** The decoded text with what is said of it. */
const decoded = (bytes: Uint8Array) => {
  const result = decodeText(shared(bytes));
  if (result.kind === 'binary') return { text: null, lossy: 0, encoding: null };
  if (result.kind === 'same') {
    return { text: Buffer.from(bytes.subarray(result.start)).toString('utf8'), lossy: 0, encoding: null };
  }
  const { lossy, encoding } = result;
  return { text: Buffer.from(result.text).toString('utf8'), lossy, encoding };
};

const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const long = 'x'.repeat(400);

describe('What travels of a file', () => {
  test.each<[string, Buffer, ReturnType<typeof decoded>]>([
    ['nothing', bytes(), { text: '', lossy: 0, encoding: null }],
    ['plain text', bytes('naïve\r\n'), { text: 'naïve\r\n', lossy: 0, encoding: null }],
    ['a UTF-8 mark', bytes(0xef, 0xbb, 0xbf, 'a'), { text: 'a', lossy: 0, encoding: null }],
    ['a mark inside', bytes('a', 0xef, 0xbb, 0xbf), { text: 'a\ufeff', lossy: 0, encoding: null }],
    ['its own U+FFFD', bytes('\ufffd'), { text: '\ufffd', lossy: 0, encoding: null }],
    [
      'UTF-16LE',
      Buffer.concat([bytes(0xff, 0xfe), Buffer.from('a😀é', 'utf16le')]),
      { text: 'a😀é', lossy: 0, encoding: 'utf-16le' },
    ],
    ['UTF-16BE', Buffer.concat([bytes(0xfe, 0xff), utf16be('a😀é')]), { text: 'a😀é', lossy: 0, encoding: 'utf-16be' }],
    [
      'a lone surrogate',
      Buffer.concat([bytes(0xff, 0xfe), Buffer.from(`${long}\ud800`, 'utf16le')]),
      { text: `${long}\ufffd`, lossy: 1, encoding: 'utf-16le' },
    ],
    [
      'an odd byte',
      Buffer.concat([bytes(0xff, 0xfe), Buffer.from(long, 'utf16le'), bytes(0x41)]),
      { text: `${long}\ufffd`, lossy: 1, encoding: 'utf-16le' },
    ],
    ['UTF-32', Buffer.concat([bytes(0xff, 0xfe, 0, 0), bytes('a', 0, 0, 0)]), { text: null, lossy: 0, encoding: null }],
    [
      'four bad bytes in 400',
      bytes(long, 0xff, 0xfe, 0, 0x80),
      { text: `${long}\ufffd\ufffd\ufffd\ufffd`, lossy: 4, encoding: null },
    ],
    ['a cut character', bytes(long, 0xe2, 0x82, 'z'), { text: `${long}\ufffdz`, lossy: 1, encoding: null }],
    ['an overlong form', bytes(long, 0xc0, 0xaf), { text: `${long}\ufffd\ufffd`, lossy: 2, encoding: null }],
    [
      'an encoded surrogate',
      bytes(long, 0xed, 0xa0, 0x80),
      { text: `${long}\ufffd\ufffd\ufffd`, lossy: 3, encoding: null },
    ],
    [
      'Latin-1',
      Buffer.from('Überprüfung für größere Straßen\n', 'latin1'),
      { text: 'Überprüfung für größere Straßen\n', lossy: 0, encoding: 'latin1' },
    ],
    [
      'quotes of windows-1252',
      bytes(0x93, 'so', 0x94, ' it is'),
      { text: '\u201cso\u201d it is', lossy: 0, encoding: 'latin1' },
    ],
    ['controls between high bytes', bytes(0xe9, 1, 2, 'abc'), { text: null, lossy: 0, encoding: null }],
    ['mostly high bytes', bytes(0xe9, 0xe8, 0xe7, 'a'), { text: null, lossy: 0, encoding: null }],
    ['many NUL', bytes('ab', 0, 'cd', 0), { text: null, lossy: 0, encoding: null }],
  ])('%s', (_, content, expected) => {
    expect(decoded(content)).toEqual(expected);
  });

  test('Exactly one bad byte in a hundred is still text, one more is not.', () => {
    const bad = (count: number, size: number) => Buffer.alloc(size, 'x').fill(0, 0, count);
    expect(decoded(bad(10, 1000)).lossy).toBe(10);
    expect(decoded(bad(11, 1000)).text).toBeNull();
    expect(decoded(bad(1, 99)).text).toBeNull();
  });
});

describe('For any bytes', () => {
  test('what travels is UTF-8 without NUL, and as other decoders show it.', () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc
        .tuple(
          fc.string({ unit: 'binary', minLength: 300, maxLength: 400 }),
          fc.uint8Array({ maxLength: 3 }),
          fc.string(),
        )
        .map(([text, stray, rest]) => Buffer.concat([Buffer.from(text), stray, Buffer.from(rest)])),
    );
    fc.assert(
      fc.property(anyBytes, (content) => {
        const { text, encoding, lossy } = decoded(content);
        if (text === null) return;
        expect(text).not.toContain('\0');
        if (encoding === null) {
          const start = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
          expect(text).toBe(Buffer.from(content.subarray(start)).toString('utf8').replaceAll('\0', '\ufffd'));
          expect(lossy).toBeLessThanOrEqual(content.length / 100);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('well-formed text comes through every encoding as it was.', () => {
    const wellFormed = fc
      .string({ unit: 'binary', maxLength: 60 })
      .filter((text) => Buffer.from(text).toString() === text && !text.includes('\0'));
    fc.assert(
      fc.property(wellFormed, (text) => {
        expect(decoded(Buffer.concat([bytes(0xff, 0xfe), Buffer.from(text, 'utf16le')])).text).toBe(text);
        expect(decoded(Buffer.concat([bytes(0xfe, 0xff), utf16be(text)])).text).toBe(text);
        expect(decoded(Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from(text)])).text).toBe(text);
      }),
    );
  });
});

test('A beginning is called binary only where no ending could make the whole anything else.', () => {
  const bytes = fc.array(fc.constantFrom(0x00, 0x01, 0x41, 0x0a, 0x93, 0xc3, 0xa9, 0xe2, 0x82, 0xff), {
    maxLength: 60,
  });
  const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
  fc.assert(
    fc.property(mark, bytes, bytes, (first, begins, ends) => {
      const start = Uint8Array.from([...first, ...begins]);
      const whole = Uint8Array.from([...start, ...ends]);
      return !isBinaryFrom(start, whole.length) || decodeText(whole).kind === 'binary';
    }),
    { numRuns: 5000 },
  );
  const noise = Uint8Array.from({ length: 200 }, (_, at) => at % 7);
  expect(isBinaryFrom(noise, 1000)).toBe(true);
  expect(isBinaryFrom(noise, 100_000)).toBe(false);
});
