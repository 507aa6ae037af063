/**
 * Walks a body once and gathers its leaves in the order of their bytes, with the documents they stand in and the parts
 * that belong beside one another. A string that holds a JSON object or list, as a tool's arguments do, is walked as a
 * document of its own, so that what is blanked in it leaves it JSON.
 */

import type { Span } from '../contract/finding.js';
import { type PayloadHint, payloadIn, payloadMap } from './base64-text.js';
import type { GateDocument, GateLeaf, GateToken, OpaquePart } from './gate-request.js';
import { type JsonBudget, type JsonNode, type JsonObject, type JsonString, readJson } from './json-tree.js';
import { opaqueObject, payloadHint } from './opaque-part.js';
import { type Pace, SHORT_BYTES, type Steps, VALUE_COST_BYTES } from './steps.js';
import { escapedMap, plainMap, shortEscapedMap, type TextMap } from './text-map.js';

/** Documents inside documents; what lies deeper is text and scanned as such. */
const MOST_DOCUMENTS = 4;

/** Leaves of one list that may be parts of one text, in their order. */
type Row = Map<string, number[]>;

/** Where the walk stands. */
interface Place {
  readonly bytes: Uint8Array;
  readonly tokens: GateToken[];
  readonly depth: number;
  readonly item: number;
  /** Members are the client's own: arguments and schemas of tools. */
  readonly isFree: boolean;
  readonly row: Row | null;
  /** Where a message's own words stand, in it or in one of its parts, and their leaves so far. */
  readonly prose: { readonly path: '/content' | '/text'; readonly leaves: number[] } | null;
  /** From the list's entry to here. */
  readonly path: string;
}

export interface Gathered {
  readonly leaves: GateLeaf[];
  /** Documents inside the body, each with its item. */
  readonly documents: { readonly item: number; readonly document: GateDocument }[];
  /** Leaves that are text of their own: no numbers, no documents. */
  readonly texts: number[];
  readonly rows: (readonly number[])[];
  readonly opaque: OpaquePart[];
}

/** Words of the format are never parts of a text. */
const CLOSED_WORDS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'media_type',
  'detail',
  'format',
]);
const FREE_MEMBERS: ReadonlySet<string> = new Set(['input', 'parameters', 'input_schema', 'schema', 'metadata']);

export interface Gatherer {
  readonly gathered: Gathered;
  /** A key of the body itself, or one value of it with everything in it. */
  key(document: Place['tokens'], bytes: Uint8Array, item: number, key: JsonString): Steps<void>;
  value(document: Place['tokens'], bytes: Uint8Array, item: number, node: JsonNode, options: ValueOptions): Steps<void>;
}

interface ValueOptions {
  readonly isFree: boolean;
  readonly isExempt: boolean;
  /** Entries of the value, where it is a list, are no parts of one text. */
  readonly isSeparate: boolean;
  /** Is given the leaves of a message's own words. */
  readonly prose: number[] | null;
}

/** Documents inside the body spend what the body left of the budget; one that does not fit is text and scanned as such. */
export const createGatherer = (budget: JsonBudget, pace: Pace): Gatherer => {
  const gathered: Gathered = { leaves: [], documents: [], texts: [], rows: [], opaque: [] };

  const addLeaf = (place: Place, bytes: Uint8Array, isName: boolean, isExempt: boolean): number => {
    gathered.leaves.push({ item: place.item, bytes, isName, isExempt });
    return gathered.leaves.length - 1;
  };

  const addText = (place: Place, map: TextMap, { start, end }: Span, isName: boolean): void => {
    const leaf = addLeaf(place, map.bytes, isName, false);
    gathered.texts.push(leaf);
    place.tokens.push({ start, end, map, content: { kind: 'leaf', leaf, form: 'string' } });
    if (isName) return;
    if (place.prose?.path === place.path) place.prose.leaves.push(leaf);
    if (place.row === null || CLOSED_WORDS.has(place.path.slice(place.path.lastIndexOf('/') + 1))) return;
    const row = place.row.get(place.path);
    if (row === undefined) place.row.set(place.path, [leaf]);
    else row.push(leaf);
  };

  const shortMapOf = (bytes: Uint8Array, node: JsonString): TextMap =>
    node.hasEscapes ? shortEscapedMap(bytes, node) : plainMap(bytes, node);

  function* mapOf(bytes: Uint8Array, node: JsonString): Steps<TextMap> {
    return node.hasEscapes && !isShort(node) ? yield* escapedMap(bytes, node, pace) : shortMapOf(bytes, node);
  }

  function* visitKey(place: Place, key: JsonString): Steps<void> {
    addText(place, yield* mapOf(place.bytes, key), key, true);
  }

  function* visitObject(place: Place, node: JsonObject): Steps<void> {
    const what = place.isFree ? null : opaqueObject(place.bytes, node);
    if (what !== null) gathered.opaque.push({ item: place.item, what });
    for (const { key, name, value } of node.members) {
      if (isShort(key)) addText(place, shortMapOf(place.bytes, key), key, true);
      else yield* visitKey(place, key);
      const isFree = place.isFree || FREE_MEMBERS.has(name);
      const hint = isFree ? 'text' : payloadHint(place.bytes, node, name);
      const inner = { ...place, isFree, path: `${place.path}/${name}` };
      if (!visitPlain(inner, value, hint)) yield* visitOther(inner, value, hint);
      if (pace.isDue()) yield;
    }
  }

  function* visitList(place: Place, items: readonly JsonNode[]): Steps<void> {
    const row: Row = new Map();
    const isParts = place.prose !== null && place.prose.path === '/content' && place.path === '/content';
    const prose = isParts ? { ...place.prose, path: '/text' as const } : null;
    const inner = { ...place, row, prose, path: '' };
    for (const item of items) {
      if (!visitPlain(inner, item, hintIn(inner))) yield* visitOther(inner, item, hintIn(inner));
      if (pace.isDue()) yield;
    }
    for (const leaves of row.values()) if (leaves.length > 1) gathered.rows.push(leaves);
  }

  function* visitLongString(place: Place, node: JsonString, hint: PayloadHint): Steps<void> {
    const map = yield* mapOf(place.bytes, node);
    if (visitPayload(place, node, map, hint) || (yield* visitDocument(place, node, map))) return;
    addText(place, map, node, false);
  }

  const visitPayload = (place: Place, node: JsonString, map: TextMap, hint: PayloadHint): boolean => {
    const payload = payloadIn(map.bytes, hint);
    if (payload === null) return false;
    const source = map.toSource(payload);
    const head = { start: 0, end: payload.start };
    if (head.end > 0) {
      const inSource = { start: node.start, end: source.start };
      addText({ ...place, row: null, prose: null }, sliced(map, head, inSource), inSource, false);
    }
    if (payload.text === null) gathered.opaque.push({ item: place.item, what: 'file data that is no text' });
    const inner = payload.text === null ? sliced(map, payload, source) : payloadMap(map, payload, payload.text);
    const leaf = addLeaf(place, inner.bytes, false, payload.text === null);
    if (payload.text !== null) gathered.texts.push(leaf);
    place.tokens.push({
      start: source.start,
      end: source.end,
      map: inner,
      content: { kind: 'leaf', leaf, form: 'file' },
    });
    return true;
  };

  function* visitDocument(place: Place, node: JsonString, map: TextMap): Steps<boolean> {
    if (place.depth >= MOST_DOCUMENTS || !looksLikeJson(map.bytes)) return false;
    const read = yield* readJson(map.bytes, budget, pace);
    if (!read.ok) return false;
    const document = { bytes: map.bytes, tokens: [] as GateToken[] };
    gathered.documents.push({ item: place.item, document });
    yield* visit({ ...place, ...document, depth: place.depth + 1, isFree: true, prose: null }, read.root);
    place.tokens.push({ start: node.start, end: node.end, map, content: { kind: 'document', document } });
    return true;
  }

  /** What is read at once; false for what has steps. A step of its own for each value took longer than the value. */
  const visitPlain = (place: Place, node: JsonNode, hint: PayloadHint): boolean => {
    pace.spend(VALUE_COST_BYTES);
    if (node.kind === 'word') return true;
    if (node.kind === 'number') {
      const map = plainMap(place.bytes, node);
      const leaf = addLeaf(place, map.bytes, false, false);
      place.tokens.push({ start: node.start, end: node.end, map, content: { kind: 'leaf', leaf, form: 'number' } });
      return true;
    }
    if (node.kind !== 'string' || !isShort(node)) return false;
    const map = shortMapOf(place.bytes, node);
    if (looksLikeJson(map.bytes)) return false;
    if (!visitPayload(place, node, map, hint)) addText(place, map, node, false);
    return true;
  };

  /** What `visitPlain` left. */
  function* visitOther(place: Place, node: JsonNode, hint: PayloadHint): Steps<void> {
    if (node.kind === 'object') yield* visitObject(place, node);
    else if (node.kind === 'array') yield* visitList(place, node.items);
    else if (node.kind === 'string') yield* visitLongString(place, node, hint);
  }

  function* visit(place: Place, node: JsonNode): Steps<void> {
    const hint = hintIn(place);
    if (!visitPlain(place, node, hint)) yield* visitOther(place, node, hint);
  }

  const placeIn = (tokens: GateToken[], bytes: Uint8Array, item: number, isFree: boolean): Place => ({
    bytes,
    tokens,
    depth: 0,
    item,
    isFree,
    row: null,
    prose: null,
    path: '',
  });

  return {
    gathered,
    key: (tokens, bytes, item, key) => visitKey(placeIn(tokens, bytes, item, false), key),
    *value(tokens, bytes, item, node, { isFree, isExempt, isSeparate, prose }) {
      const words = prose === null ? null : { path: '/content' as const, leaves: prose };
      const place = { ...placeIn(tokens, bytes, item, isFree), prose: words };
      if (isExempt && node.kind === 'string') {
        const map = yield* mapOf(bytes, node);
        const leaf = addLeaf(place, map.bytes, false, true);
        tokens.push({ start: node.start, end: node.end, map, content: { kind: 'leaf', leaf, form: 'string' } });
      } else if (isSeparate && node.kind === 'array') {
        for (const entry of node.items) yield* visit(place, entry);
      } else yield* visit(place, node);
    },
  };
};

/** A part of a mapped text, `source` being where it stands in the source. */
const sliced = (map: TextMap, { start, end }: Span, source: Span): TextMap => ({
  bytes: map.bytes.subarray(start, end),
  toSource: (span) =>
    span.end - span.start === end - start ? source : map.toSource({ start: span.start + start, end: span.end + start }),
  toText: (span) => {
    const inner = map.toText(span);
    return { start: inner.start - start, end: inner.end - start };
  },
});

/** Of a string that is no member of an object. */
const hintIn = ({ isFree }: Place): PayloadHint => (isFree ? 'text' : 'unknown');

const isShort = ({ start, end }: Span): boolean => end - start <= SHORT_BYTES;

const looksLikeJson = (bytes: Uint8Array): boolean => {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return bytes[at] === 0x7b || bytes[at] === 0x5b;
};
