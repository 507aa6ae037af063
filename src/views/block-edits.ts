/**
 * Edits that decode a whole range: base64, hex, UTF-16. Stretches that overlap (two alignments of one run) go into
 * separate lists, each of which makes views of its own.
 */
import { BASE64_VALUES, HEX_VALUES, TEXT_CLASSES } from './byte-tables.js';
import type { Edits, FreshIn } from './edits.js';
import { addUnits, type LayerDraft, roomFor } from './layer-draft.js';
import type { Stretch } from './text-stretches.js';
import type { ViewName } from './view-name.js';

export type BlockWriter = (draft: LayerDraft, outer: Uint8Array, block: Stretch) => void;

const PADDING = 0x3d;

const base64Value = (bytes: Uint8Array, at: number): number => BASE64_VALUES[bytes[at] ?? 0] ?? 0;

/** Whole groups, then the group of two or three characters that ends a run, its padding included. */
export const writeBase64: BlockWriter = (draft, outer, block) => {
  const groups = (block.end - block.start) >> 2;
  const viewStart = draft.length;
  const bytes = roomFor(draft, groups * 3 + 3);
  let to = viewStart;
  let at = block.start;
  for (let group = 0; group < groups; group += 1) {
    const v0 = base64Value(outer, at);
    const v1 = base64Value(outer, at + 1);
    const v2 = base64Value(outer, at + 2);
    const v3 = base64Value(outer, at + 3);
    bytes[to] = (v0 << 2) | (v1 >> 4);
    bytes[to + 1] = (v1 << 4) | (v2 >> 2);
    bytes[to + 2] = (v2 << 6) | v3;
    to += 3;
    at += 4;
  }
  draft.length = to;
  if (groups > 0) addUnits(draft, viewStart, block.start, 3, 4);
  const rest = block.end - at;
  const tail = tailBytes(outer, at, rest);
  if (tail === 0) return;
  const second = base64Value(outer, at + 1);
  bytes[to] = (base64Value(outer, at) << 2) | (second >> 4);
  if (tail === 2) bytes[to + 1] = (second << 4) | (base64Value(outer, at + 2) >> 2);
  draft.length = to + tail;
  addUnits(draft, to, at, tail, rest);
};

/** Bytes in a last group of `size` characters, padding counted. */
const tailBytes = (bytes: Uint8Array, at: number, size: number): number => {
  let characters = size;
  while (characters > 0 && bytes[at + characters - 1] === PADDING) characters -= 1;
  return characters >= 3 ? 2 : characters === 2 ? 1 : 0;
};

/** The end of a stretch with the last, shorter group that follows it in its run, where that is text too. */
export const endOfBase64 = (bytes: Uint8Array, end: number, runEnd: number): number => {
  const left = Math.min(3, runEnd - end);
  if (left < 2) return end;
  const second = base64Value(bytes, end + 1);
  if (TEXT_CLASSES[((base64Value(bytes, end) << 2) | (second >> 4)) & 255] === 0) return end;
  const two = left === 3 && TEXT_CLASSES[((second << 4) | (base64Value(bytes, end + 2) >> 2)) & 255] !== 0;
  let on = end + (two ? 3 : 2);
  if (on === runEnd) while (on < end + 4 && bytes[on] === PADDING) on += 1;
  return on;
};

export const writeHex: BlockWriter = (draft, outer, block) => {
  const viewStart = draft.length;
  const pairs = (block.end - block.start) >> 1;
  const bytes = roomFor(draft, pairs);
  for (let i = 0; i < pairs; i += 1) {
    const at = block.start + 2 * i;
    bytes[viewStart + i] = ((HEX_VALUES[outer[at] ?? 0] ?? 0) << 4) | (HEX_VALUES[outer[at + 1] ?? 0] ?? 0);
  }
  draft.length = viewStart + pairs;
  addUnits(draft, viewStart, block.start, 1, 2);
};

/** Splits blocks into lists without overlaps; the first list takes every block it can. */
const withoutOverlaps = (blocks: readonly Stretch[]): Stretch[][] => {
  const lists: Stretch[][] = [];
  for (const block of blocks) {
    const list = lists.find((known) => (known.at(-1)?.end ?? 0) <= block.start);
    if (list === undefined) lists.push([block]);
    else list.push(block);
  }
  return lists;
};

/** @param blocks in ascending order of their starts; may overlap */
export const blockEdits = (name: ViewName, blocks: readonly Stretch[], write: BlockWriter, freshIn: FreshIn): Edits[] =>
  withoutOverlaps(blocks).map((list) => ({
    name,
    starts: list.map(({ start }) => start),
    ends: list.map(({ end }) => end),
    freshIn,
    reachBytes: 0,
    write(draft, index, outer) {
      const block = list[index];
      if (block !== undefined) write(draft, outer, block);
    },
  }));
