/**
 * The only maker of `BlankedBytes`.
 *
 * A span becomes `[blanked <kind> #<n>]` or `[blanked <kind>]` on its first line; of each further line only the line end
 * stays and, in a diff, the first character. So line numbers are equal before and after, and every byte outside the spans
 * is the byte that was read. What comes out holds its spans again and can be blanked once more: a second blanking with
 * nothing new changes nothing.
 */
import { type BlankedBytes, MARK_OPENING } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { Span } from '../contract/finding.js';
import { escapedLength, escapeInto, unescapeInto } from '../contract/json-escape.js';
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
  /** Of a text in a JSON string those before they were escaped, made anew each time they are asked for. */
  readonly bytes: BlankedBytes;
  /** Of `bytes`. */
  readonly length: number;
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
  /** One for each text among the parts, in order. */
  readonly texts: readonly PlacedText[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** What stands in the place of a span's first line. */
export const placeholder = (span: Pick<KnownSpan, 'kind' | 'valueId'>, numbers: ValueNumbers): string => {
  if (!isNumbered(span.kind)) return `${MARK_OPENING}${span.kind}]`;
  const number = numbers.get(span.valueId);
  if (number === undefined) throw new ColdsealError('INTERNAL', `a value of kind ${span.kind} was given no number`);
  return `${MARK_OPENING}${span.kind} #${number}]`;
};

/** The blanked text piece by piece, without holding it: for a length, a hash or a copy. */
export function* blankedChunks(text: BundleText, numbers: ValueNumbers): Generator<Chunk> {
  const { bytes, spans } = text;
  let at = 0;
  for (const [index, span] of spans.entries()) {
    if (span.start < at || span.end <= span.start || span.end > bytes.length) {
      throw new ColdsealError('INTERNAL', `a span of ${text.item} is out of order or outside its text`);
    }
    if (span.start > at) yield { bytes: bytes.subarray(at, span.start), span: null };
    const mark = placeholder(span, numbers);
    const isPairSplit = span.end < (spans[index + 1]?.start ?? bytes.length) && endsBeforeLineFeed(bytes, span);
    yield { bytes: replacement(bytes.subarray(span.start, span.end), mark, text.keepsSigns, isPairSplit), span };
    at = span.end;
  }
  if (at < bytes.length) yield { bytes: bytes.subarray(at), span: null };
}

/** Bytes of the text once blanked. */
export const blankedLength = (text: BundleText, numbers: ValueNumbers): number => {
  if (text.spans.length === 0) return text.bytes.length;
  let length = 0;
  for (const chunk of blankedChunks(text, numbers)) length += chunk.bytes.length;
  return length;
};

/**
 * Writes all parts one after the other into one buffer. Texts are read, never changed, but for those that stand in `room`:
 * they are written over where every one of them is read before its bytes are needed, and else the buffer is a new one.
 */
export const blank = (
  parts: readonly BlankPart[],
  numbers: ValueNumbers,
  room: SharedArrayBuffer | null = null,
): Blanked => {
  const { length, fits } = measure(parts, numbers, room);
  const target = new Uint8Array(room !== null && fits ? room : new SharedArrayBuffer(length), 0, length);
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

interface Measured {
  readonly length: number;
  /** Written from the room's start, no part reaches bytes of the room that are still to be read. */
  readonly fits: boolean;
}

/** Bytes of all parts, and whether they can be written into the room that some of their texts stand in. */
const measure = (parts: readonly BlankPart[], numbers: ValueNumbers, room: SharedArrayBuffer | null): Measured => {
  let at = 0;
  let read = 0;
  let fits = room !== null;
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      fits &&= part.buffer !== room;
      at += part.length;
      continue;
    }
    const text = 'inJson' in part ? part.inJson : part;
    // Asked for once: a text that was placed before makes its bytes anew.
    const { bytes } = text;
    const isInRoom = bytes.buffer === room;
    // What is written over is read in the order it stands in, and only what was read is written over.
    if (isInRoom) fits &&= bytes.byteOffset >= Math.max(at, read);
    let own = bytes.byteOffset;
    for (const chunk of blankedChunks({ ...text, bytes }, numbers)) {
      at += 'inJson' in part ? escapedLength(chunk.bytes) : chunk.bytes.length;
      if (!isInRoom) continue;
      own = chunk.span === null ? own + chunk.bytes.length : bytes.byteOffset + chunk.span.end;
      fits &&= at <= own;
    }
    if (isInRoom) read = own;
  }
  return { length: at, fits: fits && at <= (room?.byteLength ?? 0) };
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
  const written = writtenFrom(start, spans, exempt);
  return { ...text, bytes, length: bytes.length, exempt, spans, place: { start, end: at }, written };
};

const writtenFrom = (start: number, spans: readonly Span[], exempt: readonly Span[]): readonly Span[] =>
  (exempt.length === 0 ? spans : [...spans, ...exempt].sort((a, b) => a.start - b.start)).map((span) => ({
    start: span.start + start,
    end: span.end + start,
  }));

/** The text blanked and escaped into the target. Its own bytes are had from there, so that a text is held once. */
const writeInJson = (target: Uint8Array, start: number, text: BundleText, numbers: ValueNumbers): PlacedText => {
  const { item, part, keepsSigns } = text;
  const spans: KnownSpan[] = [];
  const escapedSpans: Span[] = [];
  let at = start;
  let length = 0;
  for (const chunk of blankedChunks(text, numbers)) {
    const end = escapeInto(target, at, chunk.bytes);
    const ownEnd = length + chunk.bytes.length;
    if (chunk.span !== null) {
      spans.push({ ...chunk.span, start: length, end: ownEnd });
      escapedSpans.push({ start: at, end });
    }
    at = end;
    length = ownEnd;
  }
  const exempt = text.exempt.map((range) => shift(range, text.spans, spans));
  const escaped = target.subarray(start, at);
  return {
    item,
    part,
    keepsSigns,
    get bytes() {
      // Not shared: the engine counts such memory, and takes it back in time.
      const bytes = new Uint8Array(length);
      unescapeInto(bytes, escaped);
      return bytes as BlankedBytes;
    },
    length,
    exempt,
    spans,
    place: { start, end: at },
    // What is exempt in a JSON string is a hash of ours, which has no character that is escaped.
    written: [...escapedSpans, ...writtenFrom(start, [], exempt)].sort((a, b) => a.start - b.start),
  };
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

/** Only the span is searched: a line may be the whole of a large file. */
const replacement = (region: Uint8Array, mark: string, keepsSigns: boolean, isPairSplit: boolean): Uint8Array => {
  const kept: Uint8Array[] = [ascii(mark)];
  for (let lineEnd = region.indexOf(LINE_FEED); lineEnd !== -1; ) {
    const from = lineEnd > 0 && region[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    const next = lineEnd + 1;
    kept.push(region.subarray(from, next));
    if (keepsSigns && isSign(region[next])) kept.push(region.subarray(next, next + 1));
    lineEnd = region.indexOf(LINE_FEED, next);
  }
  if (isPairSplit) kept.push(region.subarray(-1));
  return Buffer.concat(kept);
};

/** A span that takes the first half of a CRLF leaves the pair whole, unless another span takes the second half. */
const endsBeforeLineFeed = (bytes: Uint8Array, span: Span): boolean =>
  bytes[span.end - 1] === CARRIAGE_RETURN && bytes[span.end] === LINE_FEED;

/** A line of a diff starts with one ASCII character; a line end is no sign. */
const isSign = (byte: number | undefined): boolean =>
  byte !== undefined && byte < 0x80 && byte !== LINE_FEED && byte !== CARRIAGE_RETURN;
