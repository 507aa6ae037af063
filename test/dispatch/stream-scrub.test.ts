import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamScrubber } from '../../src/dispatch/stream-scrub.js';
import { drawn } from '../support/made-secrets.js';

const VALUE = `${drawn(5, 20)}/+"${drawn(6, 10)}`;

const scrubbed = (chunks: readonly Uint8Array[]): Buffer => {
  const { take, end } = streamScrubber([VALUE]);
  return Buffer.concat([...chunks.map((chunk) => Buffer.from(take(chunk))), Buffer.from(end())]);
};

/** The text cut at the places that the numbers say. */
const cutAt = (text: Buffer, places: readonly number[]): readonly Buffer[] => {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...cuts, text.length].map((end, index) => text.subarray(cuts[index - 1] ?? 0, end));
};

const FORMS: readonly [name: string, form: string][] = [
  ['itself', VALUE],
  ['JSON', JSON.stringify(VALUE).slice(1, -1)],
  ['a URL', encodeURIComponent(VALUE)],
  ['hex', Buffer.from(VALUE).toString('hex')],
];

describe('streamScrubber', () => {
  it.each(FORMS)('masks the value as %s wherever reads end, without changing a length', (_name, form) => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.array(fc.nat(), { maxLength: 12 }), (before, after, places) => {
        const text = Buffer.from(`${before}${form}${after}`);
        const out = scrubbed(cutAt(text, places));
        expect(out.length).toBe(text.length);
        expect(out.includes(form)).toBe(false);
        expect(out.toString()).toBe(`${before}${'*'.repeat(Buffer.byteLength(form))}${after}`);
      }),
    );
  });

  it.each([0, 1, 2])('masks what base64 makes of it after %i bytes', (shift) => {
    const encoded = Buffer.from(`${'x'.repeat(shift)}${VALUE}`).toString('base64');
    expect(scrubbed([Buffer.from(encoded)]).toString()).not.toContain(encoded.slice(4, -4));
  });

  it('gives other bytes back as they are, none of them late at the end of a line', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.array(fc.nat(), { maxLength: 8 }), (bytes, places) => {
        expect(scrubbed(cutAt(Buffer.from(bytes), places)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
    const { take } = streamScrubber([VALUE]);
    expect(Buffer.from(take(Buffer.from(`data: ${VALUE.slice(0, 8)}\n\n`))).toString()).toMatch(/\n\n$/);
    expect(Buffer.from(take(Buffer.from(`data: ${VALUE.slice(0, 8)}`))).toString()).toBe('data: ');
  });

  it('passes the very bytes on where there is no secret', () => {
    const bytes = Buffer.from('abc');
    expect(streamScrubber([]).take(bytes)).toBe(bytes);
  });
});
