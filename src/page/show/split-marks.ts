/**
 * A line of a bundle's text cut at its placeholders. The text is hostile: it may hold something that reads like a
 * placeholder. So a line's marks count only as far as the bundle says that it blanked that many spans of that kind there;
 * anything more of the same look makes them all doubtful, and a look-alike is shown as plain text.
 */
import type { BlankedSpan } from '../../contract/bundle.js';

export interface Piece {
  /** Where it begins in the line. */
  readonly at: number;
  readonly kind: 'text' | 'blanked' | 'doubtful';
  readonly text: string;
}

const PLACEHOLDER = /\[blanked ([^\]#\s]{1,200})(?: #\d{1,9})?\]/g;

/** Spans of one item by line (1-based) and kind: how many were blanked there. */
export type SpansByLine = ReadonlyMap<number, ReadonlyMap<string, number>>;

export const spansByLine = (spans: readonly BlankedSpan[], item: string): SpansByLine => {
  const lines = new Map<number, Map<string, number>>();
  for (const span of spans) {
    if (span.item !== item) continue;
    const kinds = lines.get(span.line) ?? new Map<string, number>();
    kinds.set(span.kind, (kinds.get(span.kind) ?? 0) + 1);
    lines.set(span.line, kinds);
  }
  return lines;
};

export const splitMarks = (line: string, spans: ReadonlyMap<string, number> | undefined): readonly Piece[] => {
  if (spans === undefined) return line === '' ? [] : [{ at: 0, kind: 'text', text: line }];
  const found = [...line.matchAll(PLACEHOLDER)];
  const seen = new Map<string, number>();
  for (const [, kind = ''] of found) seen.set(kind, (seen.get(kind) ?? 0) + 1);
  const pieces: Piece[] = [];
  let at = 0;
  for (const mark of found) {
    const expected = spans.get(mark[1] ?? '') ?? 0;
    if (expected === 0) continue;
    if (mark.index > at) pieces.push({ at, kind: 'text', text: line.slice(at, mark.index) });
    pieces.push({
      at: mark.index,
      kind: (seen.get(mark[1] ?? '') ?? 0) > expected ? 'doubtful' : 'blanked',
      text: mark[0],
    });
    at = mark.index + mark[0].length;
  }
  if (at < line.length) pieces.push({ at, kind: 'text', text: line.slice(at) });
  return pieces;
};
