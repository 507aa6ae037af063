/**
 * A decoded text with the exact way back. A layer is a list of pieces; each says that its bytes come in units of
 * `unitView` bytes and that every unit was written as `unitOuter` bytes of the layer below (`1:1` for untouched text,
 * `1:3` for percent, `3:4` for base64). Runs of equal units are one piece, so a map costs nothing per byte; a layer of a
 * layer maps through both.
 */
import type { Span } from '../contract/finding.js';
import type { ViewName } from './view-name.js';

/** Numbers per piece: first view byte, first outer byte, view bytes a unit, outer bytes a unit. */
export const PIECE_STRIDE = 4;

export interface ViewLayer {
  /** Outermost first; empty for the item itself. */
  readonly names: readonly ViewName[];
  readonly bytes: Uint8Array;
  readonly pieces: Int32Array;
  /** The layer that this one was decoded from; `null` for the item. */
  readonly outer: ViewLayer | null;
}

export const itemLayer = (bytes: Uint8Array): ViewLayer => ({
  names: [],
  bytes,
  pieces: new Int32Array(0),
  outer: null,
});

/** Index (in numbers, not pieces) of the piece that holds the byte `at`. */
const pieceAt = (pieces: Int32Array, at: number): number => {
  let low = 0;
  let high = pieces.length / PIECE_STRIDE - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle * PIECE_STRIDE] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low * PIECE_STRIDE;
};

/** First outer byte of the unit that holds `at`, plus `unitsOn` whole units. */
const outerOf = (pieces: Int32Array, at: number, unitsOn: 0 | 1): number => {
  const piece = pieceAt(pieces, at);
  const unit = Math.floor((at - (pieces[piece] ?? 0)) / (pieces[piece + 2] ?? 1));
  return (pieces[piece + 1] ?? 0) + (unit + unitsOn) * (pieces[piece + 3] ?? 1);
};

/** The smallest range of the item whose decoding covers `[start, end)`: escapes and base64 groups go whole. */
export const toItem = (layer: ViewLayer, start: number, end: number): Span => {
  let from = start;
  let to = Math.max(end, start);
  for (let at: ViewLayer = layer; at.outer !== null; at = at.outer) {
    if (at.pieces.length === 0) return { start: 0, end: 0 };
    const last = to > from ? to - 1 : -1;
    from = outerOf(at.pieces, from, 0);
    to = last === -1 ? from : outerOf(at.pieces, last, 1);
  }
  return { start: from, end: to };
};

/**
 * Whether decoding made any of `[start, end)` what it is: a byte of it was written differently, or something between
 * two of its bytes was dropped. Everything in the item itself is fresh.
 */
export const changedIn = (layer: ViewLayer, start: number, end: number): boolean => {
  if (layer.outer === null) return true;
  const from = Math.max(0, start);
  const to = Math.min(layer.bytes.length, end);
  if (from >= to) return false;
  const { pieces } = layer;
  const piece = pieceAt(pieces, from);
  const next = pieces[piece + PIECE_STRIDE];
  return pieces[piece + 2] !== 1 || pieces[piece + 3] !== 1 || (next !== undefined && next < to);
};
