/**
 * Every decoded form of an item, as views: percent, backslash escapes, HTML, quoted-printable, joined strings, base64,
 * hex, UTF-16, Latin-1, and each inside each other. Only what a decoding changed is decoded again, to depth 5; a view
 * that spells the same bytes for the same place as an earlier one is not visited twice.
 */
import type { Span } from '../contract/finding.js';
import { blockEdits, endOfBase64, writeBase64, writeHex } from './block-edits.js';
import { cutSegments } from './cut-segments.js';
import type { Edits } from './edits.js';
import { findEncodedRuns } from './encoded-runs.js';
import { findEscapes } from './find-escapes.js';
import { latin1Edits } from './latin1.js';
import { type LayerDraft, openDraft } from './layer-draft.js';
import { findBase64Text, findHexText, type Stretch } from './text-stretches.js';
import { utf16Edits } from './utf16.js';
import { changedIn, itemLayer, toItem, type ViewLayer } from './view-layer.js';
import { MOST_DEPTH, type ViewLimits } from './view-limits.js';
import type { ViewName } from './view-name.js';
import { viewPrint } from './view-print.js';
import { joinWrappedRun } from './wrapped-runs.js';

/** A decoded text. Its memory is the visitor's to keep; `bytes` is a Buffer. */
export interface ViewText {
  /** The forms it was decoded through, outermost first. */
  readonly names: readonly string[];
  readonly bytes: Uint8Array;
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
};

type Bound = Extract<WalkResult, { ok: false }>;

interface Walk {
  readonly itemBytes: number;
  readonly limits: ViewLimits;
  readonly startedMs: number;
  readonly visit: (view: ViewText) => void;
  readonly draft: LayerDraft;
  /** Prints of the views that were visited. */
  readonly seen: Set<string>;
  decodedBytes: number;
  bound: Bound | null;
}

const mayDecode = (layer: ViewLayer, name: ViewName): boolean =>
  layer.names.reduce((count, known) => (known === name ? count + 1 : count), 0) < MOST_LAYERS[name];

const reachedBound = (walk: Walk, names: readonly ViewName[]): Bound | null => {
  const { limits } = walk;
  const chain = names.join(' > ');
  if (walk.decodedBytes > limits.decodedBytes) {
    const detail = `${chain}: more than ${limits.decodedBytes} bytes decoded from ${walk.itemBytes} bytes`;
    return { ok: false, bound: 'decoded-bytes', detail };
  }
  if (limits.nowMs() - walk.startedMs > limits.timeMs) {
    const detail = `${chain}: more than ${limits.timeMs} ms spent on ${walk.itemBytes} bytes`;
    return { ok: false, bound: 'view-time', detail };
  }
  return null;
};

/** Counts, visits and opens a view; answers whether the walk goes on. */
const enter = (walk: Walk, view: ViewLayer): boolean => {
  const whole = toItem(view, 0, view.bytes.length);
  const print = viewPrint(view.bytes, whole);
  if (walk.seen.has(print)) return true;
  walk.seen.add(print);
  walk.decodedBytes += view.bytes.length;
  walk.bound = reachedBound(walk, view.names);
  if (walk.bound !== null) return false;
  walk.visit({
    names: view.names,
    bytes: view.bytes,
    toItem: (start, end) => toItem(view, start, end),
    decodes: (start, end) => changedIn(view, start, end),
  });
  return open(walk, view);
};

const cut = (walk: Walk, layer: ViewLayer, edits: Edits): boolean =>
  cutSegments(layer, edits, walk.draft, (view) => enter(walk, view));

/** Blocks of one run that decode to text, base64 with its last short group. */
const base64Blocks = (bytes: Uint8Array, start: number, end: number): Stretch[] =>
  findBase64Text(bytes, start, end).map((block) => ({ start: block.start, end: endOfBase64(bytes, block.end, end) }));

const openJoined = (walk: Walk, layer: ViewLayer, start: number, end: number): boolean => {
  const all = [
    ...(mayDecode(layer, 'base64')
      ? blockEdits('base64', base64Blocks(layer.bytes, start, end), writeBase64, 'all')
      : []),
    ...(mayDecode(layer, 'hex') ? blockEdits('hex', findHexText(layer.bytes, start, end), writeHex, 'all') : []),
  ];
  return all.every((edits) => cut(walk, layer, edits));
};

/** Base64 and hex: runs on their own, and runs that go on over line ends. */
const openRuns = (walk: Walk, layer: ViewLayer): boolean => {
  const runs = findEncodedRuns(layer.bytes);
  const base64: Stretch[] = [];
  const hex: Stretch[] = [];
  let joinedTo = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] ?? 0;
    const end = runs[i + 1] ?? 0;
    if (start < joinedTo || !changedIn(layer, start - 1, end + 1)) continue;
    const joined = joinWrappedRun(layer, start, end, walk.draft);
    if (joined !== null) {
      joinedTo = joined.outerEnd;
      if (!openJoined(walk, joined.layer, joined.start, joined.end)) return false;
      continue;
    }
    for (const block of base64Blocks(layer.bytes, start, end)) base64.push(block);
    for (const block of findHexText(layer.bytes, start, end)) hex.push(block);
  }
  const all = [
    ...(mayDecode(layer, 'base64') ? blockEdits('base64', base64, writeBase64, 'all') : []),
    ...(mayDecode(layer, 'hex') ? blockEdits('hex', hex, writeHex, 'all') : []),
  ];
  return all.every((edits) => cut(walk, layer, edits));
};

/** Visits every view of a text and, through `enter`, every view of those. */
const open = (walk: Walk, layer: ViewLayer): boolean => {
  if (layer.names.length >= MOST_DEPTH) return true;
  const latin1 = latin1Edits(layer.bytes);
  const all: Edits[] = [...findEscapes(layer.bytes), ...utf16Edits(layer.bytes), ...(latin1 === null ? [] : [latin1])];
  for (const edits of all) {
    if (edits.starts.length > 0 && mayDecode(layer, edits.name) && !cut(walk, layer, edits)) return false;
  }
  return openRuns(walk, layer);
};

/**
 * Calls `visit` once for every view of the item, a view before the views of it. The item itself is no view. A bound ends
 * the walk at once; what was visited until then is not all there is.
 *
 * @param item read, not kept beyond the views' `toItem`
 */
export const walkViews = (item: Uint8Array, limits: ViewLimits, visit: (view: ViewText) => void): WalkResult => {
  const walk: Walk = {
    itemBytes: item.length,
    limits,
    startedMs: limits.nowMs(),
    visit,
    draft: openDraft(),
    seen: new Set(),
    decodedBytes: 0,
    bound: null,
  };
  open(walk, itemLayer(item));
  return walk.bound ?? { ok: true, decodedBytes: walk.decodedBytes };
};
