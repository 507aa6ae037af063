/**
 * Every decoded form of an item, as views: percent, backslash escapes, HTML, quoted-printable, joined strings, base64,
 * hex, UTF-16, Latin-1, words with invisible characters in them, and each inside each other. Only what a decoding changed is decoded again, to depth 5; a view
 * that spells the same bytes for the same place as an earlier one is not visited twice.
 */
import type { Span } from '../contract/finding.js';
import { blockEdits, endOfBase64, writeBase64, writeHex } from './block-edits.js';
import { type Candidates, type FindCandidates, findCandidates as findInPlainCode } from './candidates.js';
import { cutSegments } from './cut-segments.js';
import type { Edits, TakeEdits } from './edits.js';
import { takeInvisible } from './invisible.js';
import { takeLatin1 } from './latin1.js';
import { giveDraftBack, type LayerDraft, takeDraft } from './layer-draft.js';
import { takeEscapes } from './take-escapes.js';
import { findBase64Text, findHexText, type Stretch } from './text-stretches.js';
import { takeUtf16 } from './utf16.js';
import { changedIn, itemLayer, toItem, type ViewLayer } from './view-layer.js';
import { MOST_DEPTH, type ViewLimits } from './view-limits.js';
import type { ViewName } from './view-name.js';
import { viewPrint } from './view-print.js';
import { type JoinedRun, joinWrappedRun, mayWrap } from './wrapped-runs.js';

/** A decoded text. Its memory is the visitor's to keep; `bytes` is a Buffer. */
export interface ViewText {
  /** The forms it was decoded through, outermost first. */
  readonly names: readonly string[];
  readonly bytes: Uint8Array;
  /** Whether a frame line of a key block may stand in it. */
  readonly mayHoldFrame: boolean;
  /** The smallest range of the item whose decoding covers `[start, end)`. */
  toItem(start: number, end: number): Span;
  /** Whether decoding made any of `[start, end)`; a hit where it did not stands in the outer text as well. */
  decodes(start: number, end: number): boolean;
}

export type WalkResult =
  | { readonly ok: true; readonly decodedBytes: number }
  | { readonly ok: false; readonly bound: 'decoded-bytes' | 'view-time'; readonly detail: string };

/** How often a form may stand in a chain. */
const MOST_LAYERS: Readonly<Record<ViewName, number>> = {
  percent: 3,
  escape: 3,
  html: 3,
  'quoted-printable': 2,
  joined: 2,
  base64: MOST_DEPTH,
  hex: MOST_DEPTH,
  'utf-16': 1,
  'latin-1': 1,
  invisible: 1,
};

type Bound = Extract<WalkResult, { ok: false }>;

interface Walk {
  readonly itemBytes: number;
  readonly limits: ViewLimits;
  readonly startedMs: number;
  readonly visit: (view: ViewText) => void;
  readonly findCandidates: FindCandidates;
  /** Made when the first view is written. */
  draft: LayerDraft | null;
  /** Prints of the views of views that were visited. */
  readonly seen: Set<string>;
  decodedBytes: number;
  bound: Bound | null;
}

const mayDecode = (layer: ViewLayer, name: ViewName): boolean =>
  layer.names.reduce((count, known) => (known === name ? count + 1 : count), 0) < MOST_LAYERS[name];

const reachedBound = (walk: Walk, names: readonly ViewName[]): Bound | null => {
  const { limits } = walk;
  if (walk.decodedBytes > limits.decodedBytes) {
    const detail = `${names.join(' > ')}: more than ${limits.decodedBytes} bytes decoded from ${walk.itemBytes} bytes`;
    return { ok: false, bound: 'decoded-bytes', detail };
  }
  if (limits.nowMs() - walk.startedMs > limits.timeMs) {
    const detail = `${names.join(' > ')}: more than ${limits.timeMs} ms spent on ${walk.itemBytes} bytes`;
    return { ok: false, bound: 'view-time', detail };
  }
  return null;
};

/** Only views of views can repeat: two forms that were undone in either order. */
const isRepeated = (walk: Walk, view: ViewLayer): boolean => {
  if (view.names.length < 2) return false;
  const print = viewPrint(view.bytes, toItem(view, 0, view.bytes.length));
  if (walk.seen.has(print)) return true;
  walk.seen.add(print);
  return false;
};

/** Counts, visits and opens a view; answers whether the walk goes on. */
const enter = (walk: Walk, view: ViewLayer): boolean => {
  if (isRepeated(walk, view)) return true;
  walk.decodedBytes += view.bytes.length;
  walk.bound = reachedBound(walk, view.names);
  if (walk.bound !== null) return false;
  const seen = view.names.length < MOST_DEPTH ? walk.findCandidates(view.bytes) : null;
  walk.visit({
    names: view.names,
    bytes: view.bytes,
    mayHoldFrame: seen === null || seen.holdsDashes,
    toItem: (start, end) => toItem(view, start, end),
    decodes: (start, end) => changedIn(view, start, end),
  });
  return seen === null || open(walk, view, seen);
};

const draftOf = (walk: Walk): LayerDraft => {
  walk.draft ??= takeDraft();
  return walk.draft;
};

const cut = (walk: Walk, layer: ViewLayer, edits: Edits): boolean =>
  cutSegments(layer, edits, draftOf(walk), (view) => enter(walk, view));

/** Adds the blocks of one run that decode to text, each with its last short group. */
const addBase64 = (bytes: Uint8Array, start: number, end: number, blocks: Stretch[]): void => {
  for (const block of findBase64Text(bytes, start, end)) {
    blocks.push({ start: block.start, end: endOfBase64(bytes, block.end, end) });
  }
};

const cutBlocks = (walk: Walk, layer: ViewLayer, base64: readonly Stretch[], hex: readonly Stretch[]): boolean => {
  const all = [
    ...(mayDecode(layer, 'base64') ? blockEdits('base64', base64, writeBase64, 'all') : []),
    ...(mayDecode(layer, 'hex') ? blockEdits('hex', hex, writeHex, 'all') : []),
  ];
  return all.every((edits) => cut(walk, layer, edits));
};

const openJoined = (walk: Walk, { layer, start, end }: JoinedRun): boolean => {
  const base64: Stretch[] = [];
  addBase64(layer.bytes, start, end, base64);
  return cutBlocks(walk, layer, base64, findHexText(layer.bytes, start, end));
};

/** Base64 and hex: runs on their own, and runs that go on over line ends. */
const openRuns = (walk: Walk, layer: ViewLayer, runs: ArrayLike<number>): boolean => {
  const base64: Stretch[] = [];
  const hex: Stretch[] = [];
  let joinedTo = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] ?? 0;
    const end = runs[i + 1] ?? 0;
    if (start < joinedTo || !changedIn(layer, start - 1, end + 1)) continue;
    const joined = mayWrap(layer.bytes, start, end) ? joinWrappedRun(layer, start, end, draftOf(walk)) : null;
    if (joined !== null) {
      joinedTo = joined.outerEnd;
      if (!openJoined(walk, joined)) return false;
      continue;
    }
    addBase64(layer.bytes, start, end, base64);
    for (const block of findHexText(layer.bytes, start, end)) hex.push(block);
  }
  return cutBlocks(walk, layer, base64, hex);
};

/** Every edit of a text that is no run, list after list. */
const takeEdits = (bytes: Uint8Array, seen: Candidates, take: TakeEdits): boolean =>
  (seen.triggers.length === 0 || takeEscapes(bytes, seen.triggers, take)) &&
  (!seen.holdsZero || takeUtf16(bytes, take)) &&
  (seen.isAscii || takeLatin1(bytes, take)) &&
  takeInvisible(bytes, seen, take);

/** Visits every view of a text and, through `enter`, every view of those. */
const open = (walk: Walk, layer: ViewLayer, seen: Candidates): boolean => {
  const take: TakeEdits = (edits) =>
    edits.starts.length === 0 || !mayDecode(layer, edits.name) || cut(walk, layer, edits);
  return takeEdits(layer.bytes, seen, take) && (seen.runs.length === 0 || openRuns(walk, layer, seen.runs));
};

/**
 * Calls `visit` once for every view of the item, a view before the views of it. The item itself is no view. A bound ends
 * the walk at once; what was visited until then is not all there is.
 *
 * @param item read, not kept beyond the views' `toItem`
 * @param findCandidates the first look at a text; the one in WebAssembly is many times faster on long texts
 * @param seen what it saw in the item
 */
export const walkViews = (
  item: Uint8Array,
  limits: ViewLimits,
  visit: (view: ViewText) => void,
  findCandidates: FindCandidates = findInPlainCode,
  seen: Candidates = findCandidates(item),
): WalkResult => {
  const walk: Walk = {
    itemBytes: item.length,
    limits,
    startedMs: limits.nowMs(),
    visit,
    findCandidates,
    draft: null,
    seen: new Set(),
    decodedBytes: 0,
    bound: null,
  };
  // A Buffer of the same memory: its searches are native.
  open(walk, itemLayer(Buffer.from(item.buffer, item.byteOffset, item.length)), seen);
  if (walk.draft !== null) giveDraftBack(walk.draft);
  return walk.bound ?? { ok: true, decodedBytes: walk.decodedBytes };
};
