/**
 * Cuts a text into views: each is a cluster of edits with the text around it, so that a rule that needs the name before
 * the value still sees it, and nothing far from an edit is scanned twice. Work is bounded by the text's length, however
 * the edits lie: two clusters whose surroundings meet are one.
 */
import type { Edits } from './edits.js';
import { addCopy, clearDraft, finishLayer, type LayerDraft } from './layer-draft.js';
import { changedIn, type ViewLayer } from './view-layer.js';

/** The line before is taken too: `name: DB_PASSWORD` stands above `value: ...` in many formats. */
const LINES_BEFORE = 2;
const CONTEXT_BEFORE_BYTES = 192;
const CONTEXT_AFTER_BYTES = 96;
const LINE_FEED = 0x0a;

const DELIMITERS = new Uint8Array(256);
for (const char of '\0\t\n\r "\'`<>') DELIMITERS[char.charCodeAt(0)] = 1;

const isContinuation = (bytes: Uint8Array, at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;

/** Where the context before `at` begins; never before `floor`. */
const contextStart = (bytes: Uint8Array, at: number, reachBytes: number, floor: number): number => {
  const least = Math.max(floor, at - CONTEXT_BEFORE_BYTES);
  let start = at;
  for (let lines = 0; start > least; start -= 1) {
    if (bytes[start - 1] !== LINE_FEED) continue;
    lines += 1;
    if (lines === LINES_BEFORE) return start;
  }
  const reach = Math.max(floor, start - reachBytes);
  while (start > reach && DELIMITERS[bytes[start - 1] ?? 0] === 0) start -= 1;
  while (start > floor && isContinuation(bytes, start)) start -= 1;
  return start;
};

/** Where the context after `at` ends: the line's end, or a delimiter once enough was taken. */
const contextEnd = (bytes: Uint8Array, at: number, reachBytes: number): number => {
  const most = Math.min(bytes.length, at + CONTEXT_AFTER_BYTES);
  let end = at;
  while (end < most && bytes[end] !== LINE_FEED) end += 1;
  if (end < most) return end + 1;
  const reach = Math.min(bytes.length, end + reachBytes);
  while (end < reach && DELIMITERS[bytes[end] ?? 0] === 0) end += 1;
  while (end < bytes.length && isContinuation(bytes, end)) end += 1;
  return end;
};

/** Whether an earlier decoding made any of this segment, so that it was not seen in the outer text already. */
const isFresh = (layer: ViewLayer, edits: Edits, first: number, last: number, start: number, end: number): boolean => {
  if (layer.outer === null || edits.freshIn === 'all') return true;
  if (edits.freshIn === 'segment') return changedIn(layer, start, end);
  for (let i = first; i <= last; i += 1) {
    if (changedIn(layer, (edits.starts[i] ?? 0) - 1, (edits.ends[i] ?? 0) + 1)) return true;
  }
  return false;
};

const writeSegment = (
  layer: ViewLayer,
  edits: Edits,
  draft: LayerDraft,
  first: number,
  last: number,
  start: number,
  end: number,
): void => {
  clearDraft(draft);
  let at = start;
  for (let i = first; i <= last; i += 1) {
    addCopy(draft, layer.bytes, at, edits.starts[i] ?? at);
    edits.write(draft, i, layer.bytes);
    at = edits.ends[i] ?? at;
  }
  addCopy(draft, layer.bytes, at, end);
};

/**
 * @param draft is overwritten; a view that was emitted owns its memory
 * @param emit gets the views in ascending order and may itself cut other segments
 */
export const cutSegments = (
  layer: ViewLayer,
  edits: Edits,
  draft: LayerDraft,
  emit: (view: ViewLayer) => boolean,
): boolean => {
  const { bytes } = layer;
  const { starts, ends, reachBytes } = edits;
  const count = starts.length;
  let first = 0;
  let start = count === 0 ? 0 : contextStart(bytes, starts[0] ?? 0, reachBytes, 0);
  while (first < count) {
    let last = first;
    let end = 0;
    let nextStart = 0;
    for (;;) {
      const next = starts[last + 1];
      const after = ends[last] ?? 0;
      // Near, or inside a context that was looked for already: each byte is looked at a fixed number of times.
      if (next !== undefined && (next - after <= CONTEXT_AFTER_BYTES || next <= end)) {
        last += 1;
        continue;
      }
      end = contextEnd(bytes, after, reachBytes);
      if (next === undefined) break;
      nextStart = next <= end ? end : contextStart(bytes, next, reachBytes, end);
      if (nextStart > end) break;
      last += 1;
    }
    const worth = edits.worth?.(first, last) ?? true;
    if (worth && isFresh(layer, edits, first, last, start, end)) {
      writeSegment(layer, edits, draft, first, last, start, end);
      if (draft.length > 0 && !emit(finishLayer(draft, layer, [...layer.names, edits.name]))) return false;
    }
    first = last + 1;
    start = nextStart;
  }
  return true;
};
