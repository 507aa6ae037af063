/**
 * The judgement of the re-scan: a finding survives when its span has a byte outside what we wrote.
 *
 * What the message holds that merely looks like a placeholder is not trusted: only positions count, never text.
 */
import type { Span } from '../contract/finding.js';
import type { KnownSpan } from './bundle-text.js';
import type { Framed, FramedItem } from './frame.js';

/** `written` sorted and not overlapping; it may touch. */
export const findSurviving = <S extends Span>(found: readonly S[], written: readonly Span[]): readonly S[] =>
  found.filter((span) => !isCovered(span, written));

/** Everything in the message that stands for a span or is exempt, in message bytes. */
export const writtenIn = (framed: Framed): readonly Span[] =>
  framed.items.flatMap(({ nameWritten, text }) => [
    ...nameWritten,
    ...[...text.spans, ...text.exempt]
      .sort((a, b) => a.start - b.start)
      .map(({ start, end }) => ({ start: start + text.place.start, end: end + text.place.start })),
  ]);

/** A survivor's part inside one text of the bundle, in that text's own bytes. */
export interface PlacedSurvivor {
  readonly itemIndex: number;
  readonly part: 'name' | 'text';
  readonly span: KnownSpan;
}

/**
 * Where to blank once more. A survivor in the frame's own lines has no place; one in a name takes the whole name, because
 * a position inside the header's JSON string is not one of the name's bytes.
 */
export const placeSurvivors = (framed: Framed, surviving: readonly KnownSpan[]): readonly PlacedSurvivor[] =>
  surviving.flatMap((span) => {
    const placed: PlacedSurvivor[] = [];
    for (let index = firstItemAfter(framed.items, span.start); index < framed.items.length; index += 1) {
      const item = framed.items[index];
      if (item === undefined || item.namePlace.start >= span.end) break;
      placed.push(...placeIn(item, index, span));
    }
    return placed;
  });

const placeIn = (item: FramedItem, itemIndex: number, span: KnownSpan): readonly PlacedSurvivor[] => {
  const placed: PlacedSurvivor[] = [];
  if (overlaps(span, item.namePlace) && !isCovered(cut(span, item.namePlace), item.nameWritten)) {
    const whole = { ...span, start: 0, end: item.name.bytes.length, line: 0 };
    placed.push({ itemIndex, part: 'name', span: whole });
  }
  const { place } = item.text;
  if (overlaps(span, place)) {
    const { start, end } = cut(span, place);
    const own = { ...span, start: start - place.start, end: end - place.start };
    if (!isCovered(own, item.text.spans)) {
      placed.push({ itemIndex, part: 'text', span: { ...own, line: lineAt(item.text.bytes, own.start) } });
    }
  }
  return placed;
};

const overlaps = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;
const cut = (span: Span, to: Span): Span => ({
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

/** 1-based line of an offset. */
const lineAt = (bytes: Uint8Array, offset: number): number => {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line += 1;
  return line;
};
