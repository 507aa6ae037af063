/**
 * A layer while it is written. One draft serves a whole walk, and the next one where it stayed small; a finished
 * layer owns a copy cut to size, so nothing of the draft is ever seen by others.
 */
import { PIECE_STRIDE, type ViewLayer } from './view-layer.js';
import type { ViewName } from './view-name.js';

/** Below this a loop is faster than a native copy. */
const SMALL_COPY_BYTES = 24;

export interface LayerDraft {
  bytes: Uint8Array;
  length: number;
  pieces: Int32Array;
  /** Numbers in use, not pieces. */
  pieceLength: number;
  /** Where the last unit ended in the outer layer. */
  outerEnd: number;
}

const openDraft = (): LayerDraft => ({
  bytes: new Uint8Array(4096),
  length: 0,
  pieces: new Int32Array(256),
  pieceLength: 0,
  outerEnd: -1,
});

/** A larger draft than this is not kept for the next walk. */
const KEPT_BYTES = 64 * 1024;
let idle: LayerDraft | null = null;

/** The draft of the walk before, where it was given back, else a new one. */
export const takeDraft = (): LayerDraft => {
  const taken = idle ?? openDraft();
  idle = null;
  return taken;
};

/** Keeps a draft for the next walk of the thread: most items are small, and new memory is zeroed first. */
export const giveDraftBack = (draft: LayerDraft): void => {
  if (draft.bytes.length <= KEPT_BYTES && draft.pieces.byteLength <= KEPT_BYTES) idle = draft;
};

export const clearDraft = (draft: LayerDraft): void => {
  draft.length = 0;
  draft.pieceLength = 0;
  draft.outerEnd = -1;
};

/** Makes room for `more` bytes and returns the memory to write to, from `draft.length` on. */
export const roomFor = (draft: LayerDraft, more: number): Uint8Array => {
  if (draft.length + more > draft.bytes.length) {
    const grown = new Uint8Array(Math.max(draft.bytes.length * 2, draft.length + more));
    grown.set(draft.bytes.subarray(0, draft.length));
    draft.bytes = grown;
  }
  return draft.bytes;
};

/**
 * Says that the bytes written from `viewStart` on, up to `draft.length`, came from `outerStart` on in units. Equal units
 * that follow each other without a gap become one piece.
 */
export const addUnits = (
  draft: LayerDraft,
  viewStart: number,
  outerStart: number,
  unitView: number,
  unitOuter: number,
): void => {
  const at = draft.pieceLength;
  const units = (draft.length - viewStart) / unitView;
  const joins =
    at > 0 && outerStart === draft.outerEnd && draft.pieces[at - 2] === unitView && draft.pieces[at - 1] === unitOuter;
  draft.outerEnd = outerStart + units * unitOuter;
  if (joins) return;
  if (at + PIECE_STRIDE > draft.pieces.length) {
    const grown = new Int32Array(draft.pieces.length * 2);
    grown.set(draft.pieces);
    draft.pieces = grown;
  }
  draft.pieces[at] = viewStart;
  draft.pieces[at + 1] = outerStart;
  draft.pieces[at + 2] = unitView;
  draft.pieces[at + 3] = unitOuter;
  draft.pieceLength = at + PIECE_STRIDE;
};

/** Takes `[start, end)` over as it stands. */
export const addCopy = (draft: LayerDraft, outer: Uint8Array, start: number, end: number): void => {
  const size = end - start;
  if (size <= 0) return;
  const bytes = roomFor(draft, size);
  const viewStart = draft.length;
  if (size <= SMALL_COPY_BYTES) {
    for (let i = 0; i < size; i += 1) bytes[viewStart + i] = outer[start + i] ?? 0;
  } else {
    bytes.set(outer.subarray(start, end), viewStart);
  }
  draft.length = viewStart + size;
  addUnits(draft, viewStart, start, 1, 1);
};

/** Bytes of a code point in UTF-8; a lone surrogate or a number beyond Unicode becomes U+FFFD. */
export const addCodePoint = (draft: LayerDraft, point: number, outerStart: number, outerEnd: number): void => {
  const code = point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? 0xfffd : point;
  const bytes = roomFor(draft, 4);
  const viewStart = draft.length;
  let at = viewStart;
  if (code < 0x80) {
    bytes[at++] = code;
  } else if (code < 0x800) {
    bytes[at++] = 0xc0 | (code >> 6);
    bytes[at++] = 0x80 | (code & 63);
  } else if (code < 0x10000) {
    bytes[at++] = 0xe0 | (code >> 12);
    bytes[at++] = 0x80 | ((code >> 6) & 63);
    bytes[at++] = 0x80 | (code & 63);
  } else {
    bytes[at++] = 0xf0 | (code >> 18);
    bytes[at++] = 0x80 | ((code >> 12) & 63);
    bytes[at++] = 0x80 | ((code >> 6) & 63);
    bytes[at++] = 0x80 | (code & 63);
  }
  draft.length = at;
  addUnits(draft, viewStart, outerStart, at - viewStart, outerEnd - outerStart);
};

/** The finished layer, with memory of its own; its bytes are a Buffer, for readers that ask for one. */
export const finishLayer = (draft: LayerDraft, outer: ViewLayer, names: readonly ViewName[]): ViewLayer => {
  const bytes = Buffer.allocUnsafe(draft.length);
  bytes.set(draft.bytes.subarray(0, draft.length));
  return { names, bytes, pieces: draft.pieces.slice(0, draft.pieceLength), outer };
};
