/**
 * The only maker of `BlankedBytes`.
 *
 * A span becomes `[blanked <kind> #<n>]` or `[blanked <kind>]` on its first line; of each further line only the line end
 * stays and, in a diff, the first character. So line numbers are equal before and after, and every byte outside the spans
 * is the byte that was read. What comes out holds its spans again and can be blanked once more: a second blanking with
 * nothing new changes nothing.
 */
import type { BlankedBytes } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { Span } from '../contract/finding.js';
import { escapedLength, escapeInto } from '../contract/json-escape.js';
import { type BundleText, isNumbered, type KnownSpan } from './bundle-text.js';
import type { ValueNumbers } from './number-values.js';

/** What a blanked text is made of, in order: stretches of the text as it was read, and what was written for a span. */
export interface Chunk {
  /** A view of the text, or a fresh array for a span. */
  readonly bytes: Uint8Array;
  /** The span this stands for, or `null` for bytes as read. */
  readonly span: KnownSpan | null;
}

/** A text after blanking: the same text with its spans where they stand now. */
export interface PlacedText extends BundleText {
  readonly bytes: BlankedBytes;
  /** Where the text stands in the bytes it was blanked into. */
  readonly place: Span;
  /** What was written there for spans, and what is exempt: places in those bytes, sorted. */
  readonly written: readonly Span[];
}

/** Bytes that this program composed, a text with its spans, or one that stands as the inside of a JSON string. */
export type BlankPart = Uint8Array | BundleText | { readonly inJson: BundleText };

export interface Blanked {
  /** Over a fresh SharedArrayBuffer, so that threads can scan it where it is. */
  readonly bytes: BlankedBytes;
  /** One for each text among the parts, in order. Bytes of one in a JSON string are those before they were escaped. */
  readonly texts: readonly PlacedText[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** What stands in the place of a span's first line. */
export const placeholder = (span: Pick<KnownSpan, 'kind' | 'valueId'>, numbers: ValueNumbers): string => {
  if (!isNumbered(span.kind)) return `[blanked ${span.kind}]`;
  const number = numbers.get(span.valueId);
  if (number === undefined) throw new ColdsealError('INTERNAL', `a value of kind ${span.kind} was given no number`);
  return `[blanked ${span.kind} #${number}]`;
};

/** The blanked text piece by piece, without holding it: for a length, a hash or a copy. */
export function* blankedChunks(text: BundleText, numbers: ValueNumbers): Generator<Chunk> {
  let at = 0;
  for (const [index, span] of text.spans.entries()) {
    if (span.start < at || span.end <= span.start || span.end > text.bytes.length) {
      throw new ColdsealError('INTERNAL', `a span of ${text.item} is out of order or outside its text`);
    }
    if (span.start > at) yield { bytes: text.bytes.subarray(at, span.start), span: null };
    const mark = placeholder(span, numbers);
    yield { bytes: replacement(text, span, mark, text.spans[index + 1]?.start ?? text.bytes.length), span };
    at = span.end;
  }
  if (at < text.bytes.length) yield { bytes: text.bytes.subarray(at), span: null };
}

/** Bytes of the text once blanked. */
export const blankedLength = (text: BundleText, numbers: ValueNumbers): number => {
  if (text.spans.length === 0) return text.bytes.length;
  let length = 0;
  for (const chunk of blankedChunks(text, numbers)) length += chunk.bytes.length;
  return length;
};

/** Writes all parts one after the other into one new buffer. Texts are read, never changed. */
export const blank = (parts: readonly BlankPart[], numbers: ValueNumbers): Blanked => {
  let length = 0;
  for (const part of parts) length += partLength(part, numbers);
  const target = new Uint8Array(new SharedArrayBuffer(length));
  const texts: PlacedText[] = [];
  let at = 0;
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      target.set(part, at);
      at += part.length;
    } else {
      const placed =
        'inJson' in part ? writeInJson(target, at, part.inJson, numbers) : writeText(target, at, part, numbers);
      texts.push(placed);
      at = placed.place.end;
    }
  }
  return { bytes: target as BlankedBytes, texts };
};

const partLength = (part: BlankPart, numbers: ValueNumbers): number => {
  if (part instanceof Uint8Array) return part.length;
  if (!('inJson' in part)) return blankedLength(part, numbers);
  let length = 0;
  for (const chunk of blankedChunks(part.inJson, numbers)) length += escapedLength(chunk.bytes);
  return length;
};

const writeText = (target: Uint8Array, start: number, text: BundleText, numbers: ValueNumbers): PlacedText => {
  const spans: KnownSpan[] = [];
  let at = start;
  for (const chunk of blankedChunks(text, numbers)) {
    target.set(chunk.bytes, at);
    const end = at + chunk.bytes.length;
    if (chunk.span !== null) spans.push({ ...chunk.span, start: at - start, end: end - start });
    at = end;
  }
  const exempt = text.exempt.map((range) => shift(range, text.spans, spans));
  const bytes = target.subarray(start, at) as BlankedBytes;
  return { ...text, bytes, exempt, spans, place: { start, end: at }, written: writtenFrom(start, spans, exempt) };
};

const writtenFrom = (start: number, spans: readonly Span[], exempt: readonly Span[]): readonly Span[] =>
  (exempt.length === 0 ? spans : [...spans, ...exempt].sort((a, b) => a.start - b.start)).map((span) => ({
    start: span.start + start,
    end: span.end + start,
  }));

/**
 * The text blanked and escaped into the target. Its own bytes stay unescaped: those of a text without spans are the ones
 * that were read, others are written once more, so that a later round blanks text and not its escapes.
 */
const writeInJson = (target: Uint8Array, start: number, text: BundleText, numbers: ValueNumbers): PlacedText => {
  if (text.spans.length === 0) {
    const end = escapeInto(target, start, text.bytes);
    const bytes = text.bytes as BlankedBytes;
    return { ...text, bytes, place: { start, end }, written: writtenFrom(start, [], text.exempt) };
  }
  const own = new Uint8Array(new SharedArrayBuffer(blankedLength(text, numbers)));
  const plain = writeText(own, 0, text, numbers);
  const written: Span[] = [];
  let at = start;
  for (const chunk of blankedChunks(text, numbers)) {
    const end = escapeInto(target, at, chunk.bytes);
    if (chunk.span !== null) written.push({ start: at, end });
    at = end;
  }
  return { ...plain, place: { start, end: at }, written };
};

/** Where a range without spans in it stands after the spans before it were replaced. */
const shift = (range: Span, before: readonly Span[], after: readonly Span[]): Span => {
  let moved = 0;
  before.forEach((span, index) => {
    const written = after[index];
    if (written !== undefined && span.end <= range.start) moved = written.end - span.end;
  });
  return { start: range.start + moved, end: range.end + moved };
};

const replacement = (text: BundleText, span: Span, mark: string, nextSpanStart: number): Uint8Array => {
  // Only the span is searched: a line may be the whole of a large file.
  const region = text.bytes.subarray(span.start, span.end);
  const kept: Uint8Array[] = [ascii(mark)];
  for (let lineEnd = region.indexOf(LINE_FEED); lineEnd !== -1; ) {
    const from = lineEnd > 0 && region[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    const next = lineEnd + 1;
    kept.push(region.subarray(from, next));
    if (text.keepsSigns && isSign(region[next])) kept.push(region.subarray(next, next + 1));
    lineEnd = region.indexOf(LINE_FEED, next);
  }
  if (span.end < nextSpanStart && endsBeforeLineFeed(text.bytes, span)) kept.push(region.subarray(-1));
  return Buffer.concat(kept);
};

/** A span that takes the first half of a CRLF leaves the pair whole, unless another span takes the second half. */
const endsBeforeLineFeed = (bytes: Uint8Array, span: Span): boolean =>
  bytes[span.end - 1] === CARRIAGE_RETURN && bytes[span.end] === LINE_FEED;

/** A line of a diff starts with one ASCII character; a line end is no sign. */
const isSign = (byte: number | undefined): boolean =>
  byte !== undefined && byte < 0x80 && byte !== LINE_FEED && byte !== CARRIAGE_RETURN;
