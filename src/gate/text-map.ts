/**
 * A text that stands encoded in other bytes, with the way between the two: a span found in the text is blanked in its
 * source, and a span found in the source is a span of the text.
 *
 * A span that touches an escape takes it whole, in both directions. Where escapes stand is not kept, for a text may be
 * nothing but escapes: it is known for a mark every so often, and the way from there is walked once more for each span.
 */
import type { Span } from '../contract/finding.js';
import { putCodePoint } from '../contract/put-code-point.js';
import type { Pace, Steps } from './steps.js';

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
/** What the letter after a backslash stands for. */
const SHORT = Uint8Array.from({ length: 256 }, (_, letter) => letter);
for (const [letter, code] of Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 })) SHORT[letter.charCodeAt(0)] = code;

/** Of a hexadecimal digit, in either letter case. */
const hexValue = (digit: number): number => (digit & 0x0f) + (digit > 0x39 ? 9 : 0);

/** Read byte by byte: a text in another script is one escape a character. */
const hex4 = (source: Uint8Array, at: number): number =>
  (hexValue(source[at] ?? 0) << 12) |
  (hexValue(source[at + 1] ?? 0) << 8) |
  (hexValue(source[at + 2] ?? 0) << 4) |
  hexValue(source[at + 3] ?? 0);

/** The code point of the escape that begins there, the second half of its pair included. */
const pointAt = (source: Uint8Array, at: number): number => {
  const letter = source[at + 1] ?? 0;
  if (letter !== LETTER_U) return SHORT[letter] ?? letter;
  const high = hex4(source, at + 2);
  if (high < 0xd800 || high > 0xdfff) return high;
  const next = at + 6;
  if (high < 0xdc00 && next + 6 <= source.length && source[next] === BACKSLASH && source[next + 1] === LETTER_U) {
    const low = hex4(source, next + 2);
    if (low >= 0xdc00 && low < 0xe000) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }
  // Half of a pair has no UTF-8.
  return 0xfffd;
};

/** Bytes of that escape. */
const escapeBytes = (source: Uint8Array, at: number, point: number): number =>
  source[at + 1] !== LETTER_U ? 2 : point > 0xffff ? 12 : 6;

const textBytes = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

/** From one mark to the next. */
const STRIDE_ESCAPES = 64;

/** Pairs of offsets, ascending: where the text of a string stands in its source, from the string's start on. */
interface Marks {
  readonly sources: number[];
  readonly texts: number[];
}

/** The inside of a JSON string, `span` of `source`; its escapes are JSON's. */
export function* escapedMap(source: Uint8Array, span: Span, pace: Pace): Steps<TextMap> {
  const decoder = openDecoder(source, span);
  for (let before = 0; !decoder.isAtEnd(); before = decoder.decoded()) {
    decoder.next();
    pace.spend(decoder.decoded() - before);
    if (pace.isDue()) yield;
  }
  return decoder.map();
}

/** The same at once, for a short one. */
export const shortEscapedMap = (source: Uint8Array, span: Span): TextMap => {
  const decoder = openDecoder(source, span);
  while (!decoder.isAtEnd()) decoder.next();
  return decoder.map();
};

const openDecoder = (source: Uint8Array, { start, end }: Span) => {
  const written = Buffer.from(source.buffer, source.byteOffset + start, end - start);
  // Copied whole, then moved together over its escapes: a run of plain bytes is never walked here.
  const bytes = Buffer.from(written);
  const marks: Marks = { sources: [0], texts: [0] };
  const reached: Reached = { at: 0, to: 0 };
  return {
    isAtEnd: () => reached.at >= written.length,
    decoded: () => reached.at,
    next: () => {
      decodeStride(written, bytes, reached);
      marks.sources.push(reached.at);
      marks.texts.push(reached.to);
    },
    map: () => decodedMap(written, start, bytes.subarray(0, reached.to), marks),
  };
};

/** How far a walk has come in the source and in the text. */
interface Reached {
  at: number;
  to: number;
}

/** Decodes up to behind the next escapes; `bytes` hold the source's own from `at` on. */
const decodeStride = (written: Buffer, bytes: Buffer, reached: Reached): void => {
  let { at, to } = reached;
  for (let escapes = 0; escapes < STRIDE_ESCAPES && at < written.length; escapes += 1) {
    if (written[at] !== BACKSLASH) {
      const next = nextEscape(written, at);
      if (to < at) bytes.copyWithin(to, at, next);
      to += next - at;
      at = next;
      if (at === written.length) break;
    }
    const point = pointAt(written, at);
    to = putCodePoint(bytes, to, point);
    at += escapeBytes(written, at, point);
  }
  reached.at = at;
  reached.to = to;
};

const nextEscape = (written: Buffer, at: number): number => {
  const next = written.indexOf(BACKSLASH, at);
  return next < 0 ? written.length : next;
};

const decodedMap = (written: Buffer, start: number, bytes: Uint8Array, { sources, texts }: Marks): TextMap => {
  /** Where an offset of one side stands on the other; one inside an escape is its start or its end. */
  const move = (offset: number, isEnd: boolean, isToText: boolean): number => {
    const mark = lastAt(isToText ? sources : texts, offset);
    let at = sources[mark] ?? 0;
    let to = texts[mark] ?? 0;
    for (;;) {
      const plain = Math.min(nextEscape(written, at) - at, offset - (isToText ? at : to));
      at += plain;
      to += plain;
      if ((isToText ? at : to) >= offset || at >= written.length) return isToText ? to : at;
      const point = pointAt(written, at);
      const fromSource = escapeBytes(written, at, point);
      const fromText = textBytes(point);
      const isInside = (isToText ? at + fromSource : to + fromText) > offset;
      if (isInside && !isEnd) return isToText ? to : at;
      at += fromSource;
      to += fromText;
      if (isInside) return isToText ? to : at;
    }
  };
  return {
    bytes,
    toSource: (span) => ({ start: move(span.start, false, false) + start, end: move(span.end, true, false) + start }),
    toText: (span) => ({
      start: move(span.start - start, false, true),
      end: move(span.end - start, true, true),
    }),
  };
};

/** Index of the last mark at the offset or before it. */
const lastAt = (marks: readonly number[], offset: number): number => {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
};
