/**
 * A text that stands encoded in other bytes, with the way between the two: a span found in the text is blanked in its
 * source, and a span found in the source is a span of the text.
 *
 * A span that touches an escape takes it whole, in both directions.
 */
import type { Span } from '../contract/finding.js';

export interface TextMap {
  /** The text decoded, UTF-8. */
  readonly bytes: Uint8Array;
  toSource(span: Span): Span;
  toText(span: Span): Span;
}

/** The text stands in the source as it is. */
export const plainMap = (source: Uint8Array, { start, end }: Span): TextMap => ({
  bytes: source.subarray(start, end),
  toSource: (span) => ({ start: span.start + start, end: span.end + start }),
  toText: (span) => ({ start: span.start - start, end: span.end - start }),
});

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const SHORT: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 }).map(([letter, code]) => [letter.charCodeAt(0), code]),
);

/** Where the escapes stand: one row for each, in order. */
interface Escapes {
  readonly sourceStarts: number[];
  readonly sourceEnds: number[];
  readonly textStarts: number[];
  readonly textEnds: number[];
}

/** Of a hexadecimal digit, in either letter case. */
const hexValue = (digit: number): number => (digit & 0x0f) + (digit > 0x39 ? 9 : 0);

/** Read byte by byte: a text in another script is one escape a character. */
const hex4 = (source: Uint8Array, at: number): number =>
  (hexValue(source[at] ?? 0) << 12) |
  (hexValue(source[at + 1] ?? 0) << 8) |
  (hexValue(source[at + 2] ?? 0) << 4) |
  hexValue(source[at + 3] ?? 0);

/** The code point of a `\u` escape, the second half of its pair included, and where it ends. */
const unicodeEscape = (source: Uint8Array, at: number, end: number): readonly [point: number, end: number] => {
  const high = hex4(source, at + 2);
  const next = at + 6;
  if (
    high >= 0xd800 &&
    high < 0xdc00 &&
    next + 6 <= end &&
    source[next] === BACKSLASH &&
    source[next + 1] === LETTER_U
  ) {
    const low = hex4(source, next + 2);
    if (low >= 0xdc00 && low < 0xe000) return [0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), next + 6];
  }
  // Half of a pair has no UTF-8.
  return [high >= 0xd800 && high < 0xe000 ? 0xfffd : high, next];
};

/** The inside of a JSON string, `span` of `source`; its escapes are JSON's. */
export const escapedMap = (source: Uint8Array, { start, end }: Span): TextMap => {
  const bytes = Buffer.allocUnsafe(end - start);
  const escapes: Escapes = { sourceStarts: [], sourceEnds: [], textStarts: [], textEnds: [] };
  const written = Buffer.from(source.buffer, source.byteOffset, end);
  let to = 0;
  for (let at = start; at < end; ) {
    const found = written.indexOf(BACKSLASH, at);
    const next = found < 0 ? end : found;
    to += written.copy(bytes, to, at, next);
    at = next;
    if (at === end) break;
    escapes.sourceStarts.push(at);
    escapes.textStarts.push(to);
    const letter = source[at + 1] ?? 0;
    if (letter === LETTER_U) {
      const [point, after] = unicodeEscape(source, at, end);
      to += bytes.write(String.fromCodePoint(point), to, 'utf8');
      at = after;
    } else {
      bytes[to] = SHORT.get(letter) ?? letter;
      to += 1;
      at += 2;
    }
    escapes.sourceEnds.push(at);
    escapes.textEnds.push(to);
  }
  const { sourceStarts, sourceEnds, textStarts, textEnds } = escapes;
  const toSource = walker(start, textStarts, textEnds, sourceStarts, sourceEnds, 0);
  const toText = walker(0, sourceStarts, sourceEnds, textStarts, textEnds, start);
  return { bytes: bytes.subarray(0, to), toSource, toText };
};

/** Maps spans from one side to the other; `toStart` and `fromStart` are where the sides begin. */
const walker = (
  toStart: number,
  fromStarts: readonly number[],
  fromEnds: readonly number[],
  toStarts: readonly number[],
  toEnds: readonly number[],
  fromStart: number,
): ((span: Span) => Span) => {
  const move = (offset: number, isEnd: boolean): number => {
    // The last escape that begins before the offset, or at it where the offset is a start.
    let low = 0;
    let high = fromStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const begins = fromStarts[middle] ?? 0;
      if (isEnd ? begins < offset : begins <= offset) low = middle + 1;
      else high = middle;
    }
    const index = low - 1;
    if (index < 0) return toStart + offset - fromStart;
    const ends = fromEnds[index] ?? 0;
    if (offset < ends) return (isEnd ? toEnds[index] : toStarts[index]) ?? 0;
    return (toEnds[index] ?? 0) + offset - ends;
  };
  return ({ start, end }) => ({ start: move(start, false), end: move(end, true) });
};
