/**
 * The judgement of the re-scan: a finding survives when its span has a byte outside what we wrote.
 *
 * What the message holds that merely looks like a placeholder is not trusted: only positions count, never text.
 */
import type { Span } from '../contract/finding.js';
import { plainOffsets } from '../contract/json-escape.js';
import type { PlacedText } from './blank.js';
import type { KnownSpan } from './bundle-text.js';
import type { Framed, FramedItem } from './frame.js';

/** `written` sorted and not overlapping; it may touch. */
export const findSurviving = <S extends Span>(found: readonly S[], written: readonly Span[]): readonly S[] =>
  found.filter((span) => !isCovered(span, written));

/** Everything in the message that stands for a span or is exempt, in message bytes. */
export const writtenIn = (framed: Framed): readonly Span[] => [
  ...framed.head.flatMap(({ written }) => written),
  ...framed.items.flatMap(({ nameWritten, fields, text }) => [
    ...nameWritten,
    ...fields.flatMap(({ written }) => written),
    ...text.written,
  ]),
];

/** A survivor's part inside one text of the bundle, in that text's own bytes. */
export interface PlacedSurvivor {
  readonly part: 'head' | 'name' | 'field' | 'text';
  /** -1 for a string of the head. */
  readonly itemIndex: number;
  /** Which string of the head or which field; 0 for names and texts. */
  readonly fieldIndex: number;
  readonly span: KnownSpan;
}

/**
 * Where to blank once more. A survivor in the frame's own lines has no place; one in a name or another string beside the
 * text takes the whole string, because a position inside its JSON form is not one of its bytes.
 */
export const placeSurvivors = (framed: Framed, surviving: readonly KnownSpan[]): readonly PlacedSurvivor[] => {
  const texts = new Map<number, KnownSpan[]>();
  const placed: PlacedSurvivor[] = [];
  for (const span of surviving) {
    framed.head.forEach((text, fieldIndex) => {
      if (isMissed(span, text)) placed.push({ part: 'head', itemIndex: -1, fieldIndex, span: whole(span, text) });
    });
    for (let index = firstItemAfter(framed.items, span.start); index < framed.items.length; index += 1) {
      const item = framed.items[index];
      if (item === undefined || item.start >= span.end) break;
      for (const one of placeInStrings(item, index, span)) placed.push(one);
      if (!isMissed(span, item.text)) continue;
      const missed = texts.get(index);
      const own = cut(span, item.text.place);
      if (missed === undefined) texts.set(index, [own]);
      else missed.push(own);
    }
  }
  for (const [itemIndex, spans] of texts) {
    const text = framed.items[itemIndex]?.text;
    if (text === undefined) continue;
    for (const span of ownSpans(framed, text, spans)) placed.push({ part: 'text', itemIndex, fieldIndex: 0, span });
  }
  return placed;
};

const placeInStrings = (item: FramedItem, itemIndex: number, span: KnownSpan): readonly PlacedSurvivor[] => {
  const name = { place: item.namePlace, written: item.nameWritten, bytes: item.name.bytes };
  return [
    ...(isMissed(span, name) ? [{ part: 'name' as const, itemIndex, fieldIndex: 0, span: whole(span, name) }] : []),
    ...item.fields.flatMap((field, fieldIndex) =>
      isMissed(span, field) ? [{ part: 'field' as const, itemIndex, fieldIndex, span: whole(span, field) }] : [],
    ),
  ];
};

type Placed = Pick<PlacedText, 'place' | 'written' | 'bytes'>;

/** A byte of the span stands in the text and outside what was written there. */
const isMissed = (span: Span, { place, written }: Omit<Placed, 'bytes'>): boolean =>
  span.start < place.end && place.start < span.end && !isCovered(cut(span, place), written);

const whole = (span: KnownSpan, { bytes }: Placed): KnownSpan => ({ ...span, start: 0, end: bytes.length, line: 0 });

/** From message bytes to the text's own, lines too. Each text is walked once, however many spans there are. */
const ownSpans = ({ message, form }: Framed, text: PlacedText, spans: readonly KnownSpan[]): readonly KnownSpan[] => {
  const { start, end } = text.place;
  // First and last bytes: a span that ends inside an escape takes the character that the escape stands for.
  const bytes = [...new Set(spans.flatMap((span) => [span.start - start, span.end - 1 - start]))].sort((a, b) => a - b);
  const plain = form === 'json' ? plainOffsets(message.subarray(start, end), bytes) : bytes;
  const own = new Map(bytes.map((offset, at) => [offset, plain[at] ?? offset]));
  const moved = spans.map((span) => ({
    ...span,
    start: own.get(span.start - start) ?? 0,
    end: (own.get(span.end - 1 - start) ?? 0) + 1,
  }));
  const lines = linesAt(
    text.bytes,
    moved.map((span) => span.start),
  );
  return moved.map((span) => ({ ...span, line: lines.get(span.start) ?? 1 }));
};

const cut = <S extends Span>(span: S, to: Span): S => ({
  ...span,
  start: Math.max(span.start, to.start),
  end: Math.min(span.end, to.end),
});

/** Index of the first item that ends after `offset`. */
const firstItemAfter = (items: readonly FramedItem[], offset: number): number =>
  lowest(items.length, (index) => (items[index]?.text.place.end ?? 0) > offset);

const isCovered = (span: Span, written: readonly Span[]): boolean => {
  let at = span.start;
  for (let index = lowest(written.length, (i) => (written[i]?.end ?? 0) > at); at < span.end; index += 1) {
    const next = written[index];
    if (next === undefined || next.start > at) return false;
    at = next.end;
  }
  return true;
};

/** The lowest index for which `holds` is true, given that it stays true from there on. */
const lowest = (length: number, holds: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** 1-based line of each offset. */
export const linesAt = (bytes: Uint8Array, offsets: readonly number[]): ReadonlyMap<number, number> => {
  const lines = new Map<number, number>();
  let line = 1;
  let at = bytes.indexOf(LINE_FEED);
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    while (at !== -1 && at < offset) {
      line += 1;
      at = bytes.indexOf(LINE_FEED, at + 1);
    }
    lines.set(offset, line);
  }
  return lines;
};

const LINE_FEED = 0x0a;
