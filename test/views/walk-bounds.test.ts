/** Decoding ends: by depth, by what is new, and by bounds that are never a silent skip. Work is counted, not timed. */
import { describe, expect, it } from 'vitest';
import type { Span } from '../../src/contract/finding.js';
import { PART_BYTES, PART_EDITS } from '../../src/views/edits.js';
import { MOST_DEPTH, viewLimits } from '../../src/views/view-limits.js';
import { type WalkResult, walkViews } from '../../src/views/walk-views.js';

interface Work {
  readonly result: WalkResult;
  readonly views: number;
  readonly bytes: number;
  readonly deepest: number;
}

const workOn = (item: Buffer, limits = viewLimits(item.length, () => 0)): Work => {
  let views = 0;
  let bytes = 0;
  let deepest = 0;
  const result = walkViews(item, limits, (view) => {
    views += 1;
    bytes += view.bytes.length;
    deepest = Math.max(deepest, view.names.length);
  });
  return { result, views, bytes, deepest };
};

const KIB = 1024;
const repeat = (text: string, size: number): Buffer => Buffer.alloc(size, text);
const nested = (encode: (text: string) => string, times: number, text: string): string =>
  Array.from({ length: times }).reduce<string>((inner) => encode(inner), text);

const HARD: readonly (readonly [string, (size: number) => Buffer])[] = [
  ['one letter', (size) => repeat('A', size)],
  ['a letter that decodes at every alignment', (size) => repeat('V', size)],
  ['a hex digit that decodes at every alignment', (size) => repeat('4', size)],
  ['an escape', (size) => repeat('%41', size)],
  ['an escaped escape', (size) => repeat('%2525', size)],
  ['a backslash', (size) => repeat('\\', size)],
  ['an escaped line end', (size) => repeat('\\n', size)],
  ['a quote', (size) => repeat('"', size)],
  ['a join', (size) => repeat('"a" + ', size)],
  ['quotes and blanks', (size) => repeat(`"${' '.repeat(60)}`, size)],
  ['an ampersand', (size) => repeat('&', size)],
  ['a reference', (size) => repeat('&amp;', size)],
  ['an equals sign', (size) => repeat('=', size)],
  ['a soft line end', (size) => repeat(`${'x'.repeat(60)}=\n`, size)],
  ['a distant escape in a long word', (size) => repeat(`${'x'.repeat(100)}%41`, size)],
  ['a distant escape among words', (size) => repeat(`${'word '.repeat(60)}%41`, size)],
  ['wrapped base64', (size) => repeat(`${Buffer.from('lorem ipsum '.repeat(4)).toString('base64')}\n`, size)],
  ['zero bytes', (size) => repeat('\0', size)],
  ['UTF-16', (size) => Buffer.from('a'.repeat(size / 2), 'utf16le')],
  ['bytes that are no UTF-8', (size) => Buffer.alloc(size, 0xe4)],
  ['zero-width spaces', (size) => repeat('a\u200b', size)],
  ['colour codes', (size) => repeat('a\u001b[01;31m', size)],
  ['colour codes without an end', (size) => repeat('\u001b[0', size)],
  ['full-width characters', (size) => repeat('\uff41', size)],
  ['percent and JSON by turns', (size) => repeat('%5C%6E\\u0025\\u0034\\u0031', size)],
];

describe('a text of one thing repeated', () => {
  it.each(HARD)('costs in proportion to its size: %s', (_title, make) => {
    const small = workOn(make(64 * KIB));
    const large = workOn(make(256 * KIB));
    for (const { result } of [small, large]) expect(result.ok).toBe(true);
    expect(large.bytes).toBeLessThanOrEqual(8 * 256 * KIB);
    expect(large.bytes).toBeLessThanOrEqual(4.6 * small.bytes + 4 * KIB);
    expect(large.views).toBeLessThanOrEqual(4.2 * small.views + 16);
  });

  it('is decoded whole on one line of 10 MB', () => {
    const item = repeat('key=%41%42 ', 10_000_000);
    const { result, bytes } = workOn(item);
    expect(result.ok).toBe(true);
    expect(bytes).toBeLessThan(item.length);
  }, 120_000);
});

describe('a text of very many escapes', () => {
  const SECRET = 'a-made-up-secret-of-some-length';
  const spell = (before: string): string =>
    [...SECRET].map((char) => `${before}${char.charCodeAt(0).toString(16)}`).join('');
  const DENSE: readonly (readonly [string, string, string])[] = [
    ['percent', '%41', spell('%')],
    ['pairs of backslashes', '\\\\', spell('\\x')],
    ['escaped line ends', '\\n', spell('\\x')],
    ['bytes that are no UTF-8', '\u00e4', SECRET],
    ['colour codes', 'a\u001b[m', [...SECRET].join('\u001b[m')],
  ];
  it.each(DENSE)(
    'is decoded in parts that overlap, in step: %s',
    (_title, repeated, spelled) => {
      for (const around of [-40, -20, -3, 0]) {
        const before = repeated.repeat(Math.max(PART_EDITS, Math.ceil(PART_BYTES / repeated.length)) + around);
        const item = Buffer.from(`${before}${spelled}${repeated.repeat(20_000)}`, 'latin1');
        const places: Span[] = [];
        const result = walkViews(
          item,
          viewLimits(item.length, () => 0),
          (view) => {
            const at = Buffer.from(view.bytes).indexOf(SECRET);
            if (at !== -1) places.push(view.toItem(at, at + SECRET.length));
          },
        );
        expect(result.ok).toBe(true);
        expect(places.length).toBeGreaterThan(0);
        for (const place of places)
          expect(place).toEqual({ start: before.length, end: before.length + spelled.length });
      }
    },
    120_000,
  );
});

describe('what is held of a text of very many escapes', () => {
  const DENSE = ['%41', '\\\\', '\\n', '\\u0041', '\u00e4', 'a\u001b[m'];
  it.each(DENSE)('is a view of a part, whatever the size of the text: %j', (repeated) => {
    const item = Buffer.from(repeated.repeat(512 * KIB), 'latin1');
    let largest = 0;
    const visit = (view: { readonly bytes: Uint8Array }): void => {
      largest = Math.max(largest, view.bytes.length);
    };
    expect(walkViews(item, { ...viewLimits(item.length, () => 0), decodedBytes: 2 ** 30 }, visit).ok).toBe(true);
    expect(largest).toBeGreaterThan(32 * KIB);
    // Two bytes of UTF-8 for each that is none; the text on either side is in the view as it stands.
    expect(largest).toBeLessThanOrEqual((repeated === '\u00e4' ? 520 : 144) * KIB);
  });
});

describe('source text', () => {
  const LINES = [
    'const a = items.map((item) => item.id);',
    '  if (left < right && !done) return;',
    '# plain prose, nothing else',
  ];
  it('without any candidate has no view', () => {
    expect(workOn(repeat(`${LINES.join('\n')}\n`, 64 * KIB))).toMatchObject({
      views: 0,
      bytes: 0,
      result: { ok: true },
    });
  });
  it('with one escape has one view about as long as its line', () => {
    const text = `${`${LINES[0]}\n`.repeat(2000)}url = "https://host/a%2Fb"\n${`${LINES[1]}\n`.repeat(2000)}`;
    const { views, bytes } = workOn(Buffer.from(text));
    expect(views).toBe(1);
    expect(bytes).toBeLessThan(300);
  });
});

describe('forms inside forms', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  it('are opened to depth 5 and no deeper', () => {
    expect(workOn(Buffer.from(nested(base64, 5, 'a text of some words'))).deepest).toBe(MOST_DEPTH);
    expect(workOn(Buffer.from(nested(base64, 9, 'a text of some words')))).toMatchObject({
      deepest: MOST_DEPTH,
      result: { ok: true },
    });
  });
  it('are opened three times for percent and for JSON', () => {
    const percent = nested((text) => text.replaceAll('%', '%25'), 6, '%41');
    const json = nested((text) => JSON.stringify(text), 5, '"\n"');
    expect(workOn(Buffer.from(percent)).deepest).toBe(3);
    expect(workOn(Buffer.from(json)).deepest).toBe(3);
  });
  it('that spell the same in either order are visited once', () => {
    const seen: string[] = [];
    const item = Buffer.from('a%41b \\u0042c');
    walkViews(
      item,
      viewLimits(item.length, () => 0),
      (view) => seen.push(Buffer.from(view.bytes).toString()),
    );
    expect(seen.filter((text) => text === 'aAb Bc')).toHaveLength(1);
  });
});

describe('a bound', () => {
  const item = Buffer.from(
    nested((text) => Buffer.from(text).toString('base64'), 4, 'some words of a text '.repeat(40)),
  );
  it('on decoded bytes ends the walk and names chain, limit and size', () => {
    const { result } = workOn(item, { decodedBytes: 1000, timeMs: 1000, nowMs: () => 0 });
    expect(result).toEqual({
      ok: false,
      bound: 'decoded-bytes',
      detail: `base64: more than 1000 bytes decoded from ${item.length} bytes`,
    });
  });
  it("on time ends the walk, and the clock is the caller's", () => {
    let now = 0;
    const tick = (): number => {
      now += 400;
      return now;
    };
    const { result, views } = workOn(item, { decodedBytes: 1e9, timeMs: 1000, nowMs: tick });
    expect(result).toMatchObject({ ok: false, bound: 'view-time' });
    expect(views).toBeLessThan(workOn(item).views);
  });
  it('grows with the item', () => {
    const MIB = KIB * KIB;
    expect(viewLimits(0, () => 0)).toMatchObject({ decodedBytes: 128 * KIB, timeMs: 2000 });
    expect(viewLimits(4 * MIB, () => 0)).toMatchObject({ decodedBytes: 32 * MIB, timeMs: 6000 });
  });
});
