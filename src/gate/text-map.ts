/**
 * A text that stands encoded in other bytes, with the way between the two: a span found in the text is blanked in its
 * source, and a span found in the source is a span of the text.
 *
 * A span that touches an escape takes it whole, in both directions.
 */
import type { Span } from '../contract/finding.js';
import { putCodePoint } from '../contract/put-code-point.js';

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

/** Where the escapes of one side stand, in order. */
interface Escapes {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const escapesFor = (count: number): Escapes => ({ starts: new Uint32Array(count), ends: new Uint32Array(count) });

const firstOf = ({ starts, ends }: Escapes, count: number): Escapes => ({
  starts: starts.subarray(0, count),
  ends: ends.subarray(0, count),
});

const countEscapes = (source: Uint8Array, { start, end }: Span): number => {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (source[at] !== BACKSLASH) continue;
    count += 1;
    at += 1;
  }
  return count;
};

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
  const count = countEscapes(source, { start, end });
  const sourceSide = escapesFor(count);
  const textSide = escapesFor(count);
  let to = 0;
  let index = 0;
  for (let at = start; at < end; ) {
    const byte = source[at] ?? 0;
    if (byte !== BACKSLASH) {
      // A line of code is a run of some thirty bytes; two native calls for each took longer than its bytes.
      bytes[to] = byte;
      to += 1;
      at += 1;
      continue;
    }
    sourceSide.starts[index] = at;
    textSide.starts[index] = to;
    const letter = source[at + 1] ?? 0;
    if (letter === LETTER_U) {
      const [point, after] = unicodeEscape(source, at, end);
      to = putCodePoint(bytes, to, point);
      at = after;
    } else {
      bytes[to] = SHORT.get(letter) ?? letter;
      to += 1;
      at += 2;
    }
    sourceSide.ends[index] = at;
    textSide.ends[index] = to;
    index += 1;
  }
  // A pair of halves is one escape of two, so there may be fewer than were counted.
  const inSource = firstOf(sourceSide, index);
  const inText = firstOf(textSide, index);
  const toSource = walker(start, inText, inSource, 0);
  const toText = walker(0, inSource, inText, start);
  return { bytes: bytes.subarray(0, to), toSource, toText };
};

/** Maps spans from one side to the other; `toStart` and `fromStart` are where the sides begin. */
const walker = (
  toStart: number,
  { starts: fromStarts, ends: fromEnds }: Escapes,
  { starts: toStarts, ends: toEnds }: Escapes,
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
