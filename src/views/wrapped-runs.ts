/**
 * Base64 that is broken over lines, with what stands before it on each line: indentation, a diff sign, a comment or
 * quoting mark. The lines are joined in a layer of their own, which is no view but what the views of it are decoded from;
 * a secret that crosses a line end is whole in it.
 */
import { BASE64_VALUES, byteAt, NO_VALUE } from './byte-tables.js';
import { LEAST_RUN_BYTES } from './encoded-runs.js';
import { addCopy, clearDraft, finishLayer, type LayerDraft } from './layer-draft.js';
import { lineEndBytes, lineStart } from './line-break.js';
import type { ViewLayer } from './view-layer.js';

/** Encoders break at 60, 64, 72 or 76; shorter lines before a line end are words. */
const LEAST_LINE_BYTES = 40;
const MOST_PREFIX_BYTES = 24;
const MOST_SUFFIX_BYTES = 3;
/** Kept around the joined lines so that a view of them has its context. */
const CONTEXT_BYTES = 256;

const PREFIX = new Uint8Array(256);
for (const char of ' \t>#*|;"\'`,%') PREFIX[char.charCodeAt(0)] = 1;
/** What may stand between a line's encoded text and its end. */
export const SUFFIX = new Uint8Array(256);
for (const char of ' \t"\'`,\\;') SUFFIX[char.charCodeAt(0)] = 1;

const PADDING = 0x3d;
const CLOSING_TAG = 0x3c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const isDiffSign = (code: number): boolean => code === PLUS || code === MINUS;

export interface JoinedRun {
  /** Holds the joined lines between `start` and `end`, with context around them. */
  readonly layer: ViewLayer;
  readonly start: number;
  readonly end: number;
  /** Where the joined lines end in the text. */
  readonly outerEnd: number;
}

const isEncoded = (bytes: Uint8Array, at: number): boolean =>
  BASE64_VALUES[bytes[at] ?? 0] !== NO_VALUE && at < bytes.length;

/** Where the encoded text of the next line starts, for a line of it that ends at `end`; -1 where it does not go on. */
const nextLineStart = (bytes: Uint8Array, end: number, signed: boolean): number => {
  let at = end;
  while (at < end + MOST_SUFFIX_BYTES && SUFFIX[bytes[at] ?? 0] === 1) at += 1;
  const size = lineEndBytes(bytes, at);
  if (size === 0) return -1;
  at += size;
  if (signed && (isDiffSign(byteAt(bytes, at)) || byteAt(bytes, at) === 0x20)) at += 1;
  const most = at + MOST_PREFIX_BYTES;
  while (at < most && PREFIX[bytes[at] ?? 0] === 1) at += 1;
  return isEncoded(bytes, at) ? at : -1;
};

/** Whether the line's encoded text is all that stands there: a word of the next line is not its end. */
const endsLine = (bytes: Uint8Array, end: number): boolean => {
  let at = end;
  while (at < end + MOST_SUFFIX_BYTES && (SUFFIX[bytes[at] ?? 0] === 1 || bytes[at] === PADDING)) at += 1;
  return at >= bytes.length || bytes[at] === CLOSING_TAG || lineEndBytes(bytes, at) > 0;
};

const encodedEnd = (bytes: Uint8Array, at: number): number => {
  let end = at;
  while (isEncoded(bytes, end)) end += 1;
  return end;
};

/**
 * Whether the encoded text at `next` goes on from a line of `size` characters. Encoders break after whole groups; after
 * any other number of characters only a long line counts.
 */
const continues = (bytes: Uint8Array, size: number, next: number): boolean => {
  const end = encodedEnd(bytes, next);
  return endsLine(bytes, end) && (size % 4 === 0 || end - next >= LEAST_RUN_BYTES);
};

/** Whether the run is long enough and a line ends behind it: all that most runs are asked. */
export const mayWrap = (bytes: Uint8Array, start: number, end: number): boolean => {
  if (end - start < LEAST_LINE_BYTES) return false;
  let at = end;
  while (at < end + MOST_SUFFIX_BYTES && SUFFIX[bytes[at] ?? 0] === 1) at += 1;
  return lineEndBytes(bytes, at) > 0;
};

/** Joins the run `[start, end)` with the lines that continue it; `null` where none does. */
export const joinWrappedRun = (layer: ViewLayer, start: number, end: number, draft: LayerDraft): JoinedRun | null => {
  const { bytes } = layer;
  const line = lineStart(bytes, start);
  const signed = line !== -1 && (isDiffSign(byteAt(bytes, line)) || byteAt(bytes, line) === 0x20);
  let next = nextLineStart(bytes, end, signed);
  if (next === -1) return null;
  // The sign of the first line, where the encoded text touches it, is no part of it.
  const from =
    start === line && isDiffSign(byteAt(bytes, start)) && byteAt(bytes, next - 1) === bytes[start] ? start + 1 : start;
  if (!continues(bytes, end - from, next)) return null;
  clearDraft(draft);
  const contextStart = Math.max(0, from - CONTEXT_BYTES);
  addCopy(draft, bytes, contextStart, end);
  const joinedStart = from - contextStart;
  let width = -1;
  let outerEnd = end;
  while (next !== -1) {
    outerEnd = encodedEnd(bytes, next);
    addCopy(draft, bytes, next, outerEnd);
    const size = outerEnd - next;
    if (width !== -1 && size !== width) break;
    width = size;
    next = size < LEAST_LINE_BYTES ? -1 : nextLineStart(bytes, outerEnd, signed);
    if (next !== -1 && !continues(bytes, size, next)) next = -1;
  }
  const joinedEnd = draft.length;
  addCopy(draft, bytes, outerEnd, Math.min(bytes.length, outerEnd + CONTEXT_BYTES));
  return { layer: finishLayer(draft, layer, layer.names), start: joinedStart, end: joinedEnd, outerEnd };
};
