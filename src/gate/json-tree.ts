/**
 * JSON as a tree of places: every string, key and number with the bytes it stands in, so that a request can be written
 * back with nothing changed but what was blanked. `JSON.parse` would lose the numbers as they were typed, the escapes and
 * the blanks between them.
 *
 * As strict as RFC 8259: what is accepted here is read the same way by every provider.
 */
import type { Span } from '../contract/finding.js';

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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a string.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SHORT_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const LETTER_U = 0x75;

const isHex = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66));

/** Bytes of the escape that begins there, 0 where it is none of JSON. By bytes: a body may be nothing but escapes. */
const escapeLength = (bytes: Uint8Array, at: number): number => {
  const letter = bytes[at + 1];
  if (letter !== LETTER_U) return SHORT_ESCAPES.has(letter) ? 2 : 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(bytes[digit])) return 0;
  return 6;
};

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
export const readJson = (bytes: Uint8Array, budget: JsonBudget): ReadJson => {
  const before = budget.values;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const reader = openReader(buffer, budget);
    return { ok: true, root: reader() };
  } catch (fault) {
    const isOverBudget = budget.values < 0;
    budget.values = before;
    if (fault instanceof Fault) return { ok: false, isOverBudget, why: fault.why };
    throw fault;
  }
};

const openReader = (bytes: Buffer, budget: JsonBudget): (() => JsonNode) => {
  // One character a byte: offsets in it are those of the bytes.
  const text = bytes.toString('latin1');
  let at = 0;

  const fail = (why: string): never => {
    throw new Fault(`${why} at byte ${at}`);
  };
  const spend = (): void => {
    budget.values -= 1;
    if (budget.values < 0) fail('there are too many values');
  };
  const skipBlanks = (): void => {
    while (BLANKS.has(bytes[at])) at += 1;
  };
  const take = (pattern: RegExp, kind: JsonWord['kind']): JsonWord | null => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return null;
    const start = at;
    at = pattern.lastIndex;
    return { kind, start, end: at };
  };

  const readString = (): JsonString => {
    const start = at + 1;
    let hasEscapes = false;
    for (at = start; ; ) {
      if (bytes[at] !== BACKSLASH) {
        // A run at a time: most bytes of a request stand in long strings.
        PLAIN.lastIndex = at;
        PLAIN.test(text);
        at = PLAIN.lastIndex;
      }
      const byte = bytes[at];
      if (byte === undefined) return fail('a string does not end');
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) return fail('a control character stands in a string');
      const length = escapeLength(bytes, at);
      if (length === 0) return fail('an escape is none of JSON');
      hasEscapes = true;
      at += length;
    }
    at += 1;
    return { kind: 'string', start, end: at - 1, hasEscapes };
  };

  /** Runs `readOne` for each entry up to the closing byte. */
  const readList = (close: number, readOne: () => void): void => {
    at += 1;
    skipBlanks();
    if (bytes[at] === close) {
      at += 1;
      return;
    }
    for (;;) {
      readOne();
      skipBlanks();
      if (bytes[at] === close) break;
      if (bytes[at] !== 0x2c) fail('a comma or a closing bracket is missing');
      at += 1;
    }
    at += 1;
  };

  const readObject = (depth: number): JsonObject => {
    const start = at;
    const members: JsonMember[] = [];
    readList(0x7d, () => {
      skipBlanks();
      if (bytes[at] !== QUOTE) fail('a name is missing');
      spend();
      const key = readString();
      skipBlanks();
      if (bytes[at] !== 0x3a) fail('a colon is missing');
      at += 1;
      members.push({ key, name: textOf(bytes, key), value: readValue(depth) });
    });
    const isAmbiguous = new Set(members.map(({ name }) => name)).size < members.length;
    return { kind: 'object', start, end: at, members, isAmbiguous };
  };

  const readArray = (depth: number): JsonArray => {
    const start = at;
    const items: JsonNode[] = [];
    readList(0x5d, () => {
      items.push(readValue(depth));
    });
    return { kind: 'array', start, end: at, items };
  };

  const readValue = (depth: number): JsonNode => {
    skipBlanks();
    spend();
    if (depth > DEEPEST_JSON) fail(`more than ${DEEPEST_JSON} levels`);
    switch (bytes[at]) {
      case QUOTE:
        return readString();
      case 0x7b:
        return readObject(depth + 1);
      case 0x5b:
        return readArray(depth + 1);
      default:
        return take(NUMBER, 'number') ?? take(WORD, 'word') ?? fail('a value is missing');
    }
  };

  return () => {
    const root = readValue(0);
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
