/**
 * The JSON of a document as it is scanned: it is there for what only the JSON tells, a value by the name before it, so a
 * long text in it is cut to its ends. Each text is scanned whole and decoded on a surface of its own; scanning it here
 * again, with its escapes, took two thirds of the time of a request.
 *
 * A text is cut at blanks alone, so that no word and no escape is cut and what holds no blank, as a key of any length
 * does, stands whole.
 */
import type { Span } from '../contract/finding.js';
import type { GateDocument, GateToken } from './gate-request.js';

export interface JsonSurface {
  readonly bytes: Uint8Array;
  /** Where a span of the surface stands in the document; one that covers a cut covers what was left out there. */
  toDocument(span: Span): Span;
}

/** A shorter text stands whole. */
const LONGEST_WHOLE_BYTES = 1024;
/** What is kept of each end, at least; further than any rule looks for a name. */
const KEPT_BYTES = 256;
/** How far behind that a blank is looked for. */
const REACH_BYTES = 256;
const BLANK = 0x20;
/** Stands where something was left out: nothing is read across two line ends. */
const GAP = Buffer.from('\\n\\n');

interface Piece {
  /** Where it begins in the surface. */
  readonly at: number;
  /** In the document. */
  readonly start: number;
  readonly end: number;
}

export const jsonSurfaceOf = ({ bytes, tokens }: GateDocument): JsonSurface => {
  const pieces = piecesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), tokens);
  if (pieces.length === 1) return { bytes, toDocument: (span) => span };
  const parts = pieces.flatMap(({ start, end }, index) => [...(index > 0 ? [GAP] : []), bytes.subarray(start, end)]);
  return {
    bytes: Buffer.concat(parts),
    toDocument: ({ start, end }) => ({ start: startIn(pieces, start), end: endIn(pieces, end) }),
  };
};

const piecesOf = (bytes: Buffer, tokens: readonly GateToken[]): readonly Piece[] => {
  const pieces: Piece[] = [];
  let at = 0;
  let from = 0;
  const add = (end: number): void => {
    pieces.push({ at, start: from, end });
    at += end - from + GAP.length;
  };
  for (const token of tokens) {
    const cut = cutOf(bytes, token);
    if (cut === null) continue;
    add(cut.start);
    from = cut.end;
  }
  add(bytes.length);
  return pieces;
};

/** What is left out of a token; a blank stays on either side of it. */
const cutOf = (bytes: Buffer, { start, end }: Span): Span | null => {
  if (end - start <= LONGEST_WHOLE_BYTES) return null;
  const head = bytes.indexOf(BLANK, start + KEPT_BYTES);
  const tail = bytes.lastIndexOf(BLANK, end - KEPT_BYTES - 1);
  const isNear = head >= 0 && head < start + KEPT_BYTES + REACH_BYTES && tail >= end - KEPT_BYTES - REACH_BYTES;
  return isNear && head + 1 < tail ? { start: head + 1, end: tail } : null;
};

/** A span that starts in a gap starts with the piece behind it. */
const startIn = (pieces: readonly Piece[], offset: number): number => {
  const index = lastBegun(pieces, offset);
  const piece = pieces[index];
  if (piece === undefined) return offset;
  const inside = piece.start + offset - piece.at;
  return inside < piece.end ? inside : (pieces[index + 1]?.start ?? piece.end);
};

/** A span that ends in a gap ends with the piece before it. */
const endIn = (pieces: readonly Piece[], offset: number): number => {
  const piece = pieces[lastBegun(pieces, offset - 1)];
  return piece === undefined ? offset : Math.min(piece.end, piece.start + offset - piece.at);
};

/** Index of the last piece that begins at the offset or before it. */
const lastBegun = (pieces: readonly Piece[], offset: number): number => {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
