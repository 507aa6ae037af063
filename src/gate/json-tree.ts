/**
 * JSON as a tree of places: every string, key and number with the bytes it stands in, so that a request can be written
 * back with nothing changed but what was blanked. `JSON.parse` would lose the numbers as they were typed, the escapes and
 * the blanks between them.
 *
 * As strict as RFC 8259: what is accepted here is read the same way by every provider.
 */
import type { Span } from '../contract/finding.js';
import {
  BACKSLASH,
  BLANKS,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  escapeLength,
  NUMBER,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  runEnd,
  WORD,
  WORD_BYTES,
} from './json-bytes.js';
import { type Pace, SHORT_BYTES, type Steps, VALUE_COST_BYTES } from './steps.js';

export interface JsonString extends Span {
  readonly kind: 'string';
  /** The span lies inside the quotes. */
  readonly hasEscapes: boolean;
}

export interface JsonMember {
  readonly key: JsonString;
  /** The key decoded. */
  readonly name: string;
  readonly value: JsonNode;
}

export interface JsonObject extends Span {
  readonly kind: 'object';
  readonly members: readonly JsonMember[];
  /** A name stands in it twice: which value counts is the reader's choice. */
  readonly isAmbiguous: boolean;
}

export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}

/** A number, or `true`, `false`, `null`. */
export interface JsonWord extends Span {
  readonly kind: 'number' | 'word';
}

export type JsonNode = JsonObject | JsonArray | JsonString | JsonWord;

/** Most objects and arrays inside one another. */
const DEEPEST_JSON = 256;

class Fault {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** What one request may still hold: a value or a name takes a few hundred bytes of memory, however short it is written. */
export interface JsonBudget {
  values: number;
}

export type ReadJson =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly isOverBudget: boolean; readonly why: string };

/** `bytes` are valid UTF-8. `why` names the byte and never quotes it. What does not read takes nothing of the budget. */
export function* readJson(bytes: Uint8Array, budget: JsonBudget, pace: Pace): Steps<ReadJson> {
  const before = budget.values;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return { ok: true, root: yield* openReader(buffer, budget, pace)() };
  } catch (fault) {
    const isOverBudget = budget.values < 0;
    budget.values = before;
    if (fault instanceof Fault) return { ok: false, isOverBudget, why: fault.why };
    throw fault;
  }
}

const openReader = (bytes: Buffer, budget: JsonBudget, pace: Pace): (() => Steps<JsonNode>) => {
  let at = 0;

  const fail = (why: string): never => {
    throw new Fault(`${why} at byte ${at}`);
  };
  const spend = (): void => {
    budget.values -= 1;
    pace.spend(VALUE_COST_BYTES);
    if (budget.values < 0) fail('there are too many values');
  };
  const skipBlanks = (): void => {
    while (BLANKS[bytes[at] ?? 0] === 1) at += 1;
  };
  const readWord = (): JsonWord => {
    const start = at;
    let end = at;
    while (WORD_BYTES[bytes[end] ?? 0] === 1) end += 1;
    const written = bytes.toString('latin1', start, end);
    const kind = NUMBER.test(written) ? 'number' : WORD.test(written) ? 'word' : fail('a value is missing');
    at = end;
    return { kind, start, end };
  };

  /** Reads on in a string, to `stop` or the end of the escape there; true at its closing quote. */
  let hasEscapes = false;
  const readStretch = (stop: number): boolean => {
    for (;;) {
      at = runEnd(bytes, at, stop);
      if (at >= stop) return false;
      const byte = bytes[at];
      if (byte === undefined) return fail('a string does not end');
      if (byte === QUOTE) return true;
      if (byte !== BACKSLASH) return fail('a control character stands in a string');
      const length = escapeLength(bytes, at);
      if (length === 0) return fail('an escape is none of JSON');
      hasEscapes = true;
      at += length;
    }
  };
  const endString = (start: number): JsonString => {
    pace.spend(at - start);
    at += 1;
    return { kind: 'string', start, end: at - 1, hasEscapes };
  };
  /** `null` for one that is long, and nothing of it is read. */
  const readShortString = (): JsonString | null => {
    const start = at + 1;
    hasEscapes = false;
    at = start;
    if (readStretch(start + SHORT_BYTES)) return endString(start);
    at = start - 1;
    return null;
  };
  function* readLongString(): Steps<JsonString> {
    const start = at + 1;
    hasEscapes = false;
    at = start;
    for (let from = start; !readStretch(at + SHORT_BYTES); from = at) {
      pace.spend(at - from);
      if (pace.isDue()) yield;
    }
    return endString(start);
  }

  /** True where the list or object is closed; else a comma was read. */
  const isClosed = (close: number): boolean => {
    skipBlanks();
    const byte = bytes[at];
    if (byte !== close && byte !== COMMA) fail('a comma or a closing bracket is missing');
    at += 1;
    return byte === close;
  };
  const isEmpty = (close: number): boolean => {
    at += 1;
    skipBlanks();
    if (bytes[at] !== close) return false;
    at += 1;
    return true;
  };

  function* readObject(depth: number): Steps<JsonObject> {
    const start = at;
    const members: JsonMember[] = [];
    if (isEmpty(CLOSING_BRACE)) return { kind: 'object', start, end: at, members, isAmbiguous: false };
    do {
      skipBlanks();
      if (bytes[at] !== QUOTE) fail('a name is missing');
      spend();
      const key = readShortString() ?? (yield* readLongString());
      skipBlanks();
      if (bytes[at] !== COLON) fail('a colon is missing');
      at += 1;
      members.push({ key, name: textOf(bytes, key), value: readPlain() ?? (yield* readOther(depth)) });
      if (pace.isDue()) yield;
    } while (!isClosed(CLOSING_BRACE));
    const isAmbiguous = new Set(members.map(({ name }) => name)).size < members.length;
    return { kind: 'object', start, end: at, members, isAmbiguous };
  }

  function* readArray(depth: number): Steps<JsonArray> {
    const start = at;
    const items: JsonNode[] = [];
    if (isEmpty(CLOSING_BRACKET)) return { kind: 'array', start, end: at, items };
    do {
      items.push(readPlain() ?? (yield* readOther(depth)));
      if (pace.isDue()) yield;
    } while (!isClosed(CLOSING_BRACKET));
    return { kind: 'array', start, end: at, items };
  }

  /** A value that is read at once; `null` for one that holds others, and for a long string: those have steps. */
  const readPlain = (): JsonNode | null => {
    skipBlanks();
    spend();
    const byte = bytes[at];
    if (byte === QUOTE) return readShortString();
    return byte === OPENING_BRACE || byte === OPENING_BRACKET ? null : readWord();
  };

  function* readOther(depth: number): Steps<JsonNode> {
    if (depth > DEEPEST_JSON) fail(`more than ${DEEPEST_JSON} levels`);
    if (bytes[at] === QUOTE) return yield* readLongString();
    return bytes[at] === OPENING_BRACE ? yield* readObject(depth + 1) : yield* readArray(depth + 1);
  }

  return function* () {
    const root = readPlain() ?? (yield* readOther(0));
    skipBlanks();
    if (at < bytes.length) fail('something stands after the value');
    return root;
  };
};

const textOf = (bytes: Buffer, { start, end, hasEscapes }: JsonString): string => {
  const written = bytes.toString('utf8', start, end);
  return hasEscapes ? String(JSON.parse(`"${written}"`)) : written;
};

/** A string's text. */
export const stringText = (bytes: Uint8Array, node: JsonString): string =>
  textOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), node);

/** The value of an object's first member of that name. */
const memberOf = (node: JsonNode, name: string): JsonNode | undefined =>
  node.kind === 'object' ? node.members.find((member) => member.name === name)?.value : undefined;

/** The text of an object's string member. */
export const memberText = (bytes: Uint8Array, node: JsonNode, name: string): string | null => {
  const value = memberOf(node, name);
  return value?.kind === 'string' ? stringText(bytes, value) : null;
};
