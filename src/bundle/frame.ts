/**
 * The framed bundle: what the provider reads as the user message.
 *
 * The boundary is taken over the blanked items themselves, so no item can hold a line that ends it or opens another: an
 * item would have to hold a part of its own hash. Names are on one line before they come here and stand in header lines
 * as JSON strings.
 *
 * `frameBundle` is the one place that knows the form; everything after it sees `Framed`.
 */
import { createHash } from 'node:crypto';
import { type BlankedBytes, BUNDLE_WARNING } from '../contract/bundle.js';
import type { Span } from '../contract/finding.js';
import type { InputName, OmittedReason } from '../contract/item.js';
import { type BlankPart, blank, blankedChunks, blankedLength, type PlacedText } from './blank.js';
import type { BundleText } from './bundle-text.js';
import type { ValueNumbers } from './number-values.js';

export interface FrameItem {
  readonly id: string;
  readonly input: InputName;
  readonly omitted: OmittedReason | null;
  /** The path or label as shown, in UTF-8. */
  readonly name: BundleText;
  /** Strings between name and text, with the member each is of; none outside a reading. */
  readonly fields: readonly { readonly name: string; readonly text: BundleText }[];
  readonly text: BundleText;
}

/** An item where it stands in the message. */
export interface FramedItem {
  /** First byte of its header line, or of its object in a reading's document, in message bytes. */
  readonly start: number;
  /** The name alone, blanked. */
  readonly name: PlacedText;
  /** The name's JSON string inside the header line, quotes excluded. */
  readonly namePlace: Span;
  /** What was written for spans inside that string, in message bytes. */
  readonly nameWritten: readonly Span[];
  readonly fields: readonly PlacedText[];
  readonly text: PlacedText;
}

export interface Framed {
  readonly message: BlankedBytes;
  /** Texts stand as they are, or as the inside of JSON strings. */
  readonly form: 'frame' | 'json';
  /** Strings before the items, outside the frame's own lines; none outside a reading. */
  readonly head: readonly PlacedText[];
  readonly items: readonly FramedItem[];
  /** Bytes that count against the cap. */
  readonly countedBytes: number;
}

const LINE_FEED = 0x0a;
const BOUNDARY_DIGITS = 16;
/** `=== `, the boundary and a blank. */
const BOUNDARY_BYTES = 4 + BOUNDARY_DIGITS + 1;
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Lays the items out in list order. The texts' bytes are read twice: once for the boundary, once for the message. */
export const frameBundle = (items: readonly FrameItem[], numbers: ValueNumbers): Framed => {
  const names = blank(
    items.map((item) => item.name),
    numbers,
  ).texts;
  const headed = items.map((item, index) => ({ item, header: headerOf(item, names[index], numbers) }));
  const boundary = boundaryOf(headed, numbers);
  const parts: BlankPart[] = [utf8(firstLines(items, boundary))];
  for (const { item, header } of headed) {
    parts.push(utf8(`=== ${boundary} ${header.line}\n`), item.text);
    if (!endsWithLineFeed(item.text)) parts.push(utf8('\n'));
  }
  parts.push(utf8(`=== ${boundary} end ===`));
  const { bytes, texts } = blank(parts, numbers);
  return {
    message: bytes,
    form: 'frame',
    head: [],
    items: texts.flatMap((text, index) => {
      const header = headed[index]?.header;
      return header === undefined ? [] : [place(header, text)];
    }),
    countedBytes: bytes.length,
  };
};

interface Header {
  /** The header line after the boundary, e.g. `itm-0001 diff 120 "a..b" ===`. */
  readonly line: string;
  readonly name: PlacedText;
  /** Bytes of the JSON string inside the line, quotes excluded. */
  readonly jsonPlace: Span;
  /** Spans written inside the JSON string, from its first byte. */
  readonly written: readonly Span[];
}

const headerOf = (item: FrameItem, name: PlacedText | undefined, numbers: ValueNumbers): Header => {
  if (name === undefined) throw new RangeError(`${item.id} has no name`);
  let json = '';
  let at = 0;
  const written: Span[] = [];
  for (const chunk of blankedChunks(item.name, numbers)) {
    const escaped = jsonEscaped(chunk.bytes);
    const end = at + Buffer.byteLength(escaped);
    if (chunk.span !== null) written.push({ start: at, end });
    json += escaped;
    at = end;
  }
  const before = `${item.id} ${item.input} ${blankedLength(item.text, numbers)} "`;
  const jsonPlace = { start: before.length, end: before.length + at };
  return { line: `${before}${json}" ===`, name, jsonPlace, written };
};

/** The inside of a JSON string. */
const jsonEscaped = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('utf8')).slice(1, -1);

const endsWithLineFeed = (text: BundleText): boolean => text.bytes.at(-1) === LINE_FEED;

/** Over each header line without the boundary, then the item's text as framed. */
const boundaryOf = (
  headed: readonly { readonly item: FrameItem; readonly header: Header }[],
  numbers: ValueNumbers,
): string => {
  const hash = createHash('sha256');
  for (const { item, header } of headed) {
    hash.update(`=== ${header.line}\n`);
    for (const chunk of blankedChunks(item.text, numbers)) hash.update(chunk.bytes);
    if (!endsWithLineFeed(item.text)) hash.update('\n');
  }
  return hash.digest('hex').slice(0, BOUNDARY_DIGITS);
};

const firstLines = (items: readonly FrameItem[], boundary: string): string => {
  const omitted = (reason: OmittedReason) => items.filter((item) => item.omitted === reason).length;
  const blanked = items.reduce((sum, item) => sum + item.name.spans.length + item.text.spans.length, 0);
  return (
    `coldseal-bundle/1 items=${items.length} boundary=${boundary}\n${BUNDLE_WARNING}\n` +
    `not shown: ${omitted('withheld')} withheld, ${omitted('binary')} binary, ${blanked} blanked\n`
  );
};

const place = (header: Header, text: PlacedText): FramedItem => {
  // The header line ends one byte before the text; the boundary before it does not change the distance to its end.
  const lineStart = text.place.start - 1 - Buffer.byteLength(header.line);
  const jsonStart = lineStart + header.jsonPlace.start;
  return {
    start: lineStart - BOUNDARY_BYTES,
    name: header.name,
    namePlace: { start: jsonStart, end: lineStart + header.jsonPlace.end },
    nameWritten: header.written.map(({ start, end }) => ({ start: jsonStart + start, end: jsonStart + end })),
    fields: [],
    text,
  };
};
