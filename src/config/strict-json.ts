/**
 * A strict JSON reader (RFC 8259) for settings files. `JSON.parse` keeps the last of two equal names, forgets where
 * things stand and stops at the first fault; here a name that comes twice is refused at any depth, every value keeps its
 * place, and reading goes on after a fault whose end is plain, so one message can name them all.
 *
 * After a fault whose end is not plain (an unclosed brace, a stray word) `root` is `null`: a half-read tree would blame
 * members that were only not reached.
 */
import type { JsonMember, JsonNode, Problem } from './json-document.js';
import { dottedPath } from './json-document.js';

export const DEEPEST_NESTING = 64;

export interface StrictJson {
  /** The text as decoded; offsets count into it. */
  readonly text: string;
  readonly root: JsonNode | null;
  /** In order of place. */
  readonly problems: readonly Problem[];
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANKS = /[ \t\n\r]*/y;
const WORD = /[\w.+-]+/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads one JSON value and nothing after it. Never throws. */
export function readStrictJson(bytes: Uint8Array): StrictJson {
  const problems: Problem[] = [];
  const text = decode(bytes, problems);
  let at = text.startsWith('\ufeff') ? 1 : 0;
  if (at === 1) problems.push({ offset: 0, message: 'starts with a byte order mark; save it as plain UTF-8' });
  const reader = new Reader(text, problems);
  let root: JsonNode | null = null;
  try {
    at = reader.skipBlanks(at);
    if (at === text.length) throw new Unreadable(at, 'is empty; one JSON object is due');
    root = reader.value(at, []);
    const end = reader.skipBlanks(root.end);
    if (end < text.length) problems.push({ offset: end, message: 'has content after the JSON value' });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    problems.push({ offset: error.offset, message: error.message });
    root = null;
  }
  return { text, root, problems: problems.toSorted((a, b) => a.offset - b.offset) };
}

class Unreadable extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

function decode(bytes: Uint8Array, problems: Problem[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const offset = validPrefix(bytes).length;
    problems.push({ offset, message: 'holds bytes that are no UTF-8' });
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }
}

/** The text before the first byte that is no UTF-8: the longest prefix that a streaming decoder takes. */
function validPrefix(bytes: Uint8Array): string {
  let taken = 0;
  let refused = bytes.length + 1;
  while (taken + 1 < refused) {
    const middle = Math.floor((taken + refused) / 2);
    if (streamed(bytes.subarray(0, middle)) === null) refused = middle;
    else taken = middle;
  }
  return streamed(bytes.subarray(0, taken)) ?? '';
}

function streamed(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

type Path = readonly (string | number)[];

class Reader {
  readonly #text: string;
  readonly #problems: Problem[];

  constructor(text: string, problems: Problem[]) {
    this.#text = text;
    this.#problems = problems;
  }

  skipBlanks(at: number): number {
    BLANKS.lastIndex = at;
    BLANKS.exec(this.#text);
    return BLANKS.lastIndex;
  }

  value(at: number, path: Path): JsonNode {
    const first = this.#text[at];
    if (first === '{' || first === '[') {
      if (path.length >= DEEPEST_NESTING) throw new Unreadable(at, `is nested deeper than ${DEEPEST_NESTING} levels`);
      return first === '{' ? this.#object(at, path) : this.#array(at, path);
    }
    if (first === '"') return this.#string(at);
    if (first !== undefined && /[-\d]/.test(first)) return this.#number(at);
    return this.#word(at);
  }

  #object(start: number, path: Path): JsonNode {
    const members: JsonMember[] = [];
    const firstOffsets = new Map<string, number>();
    const end = this.#list(start, '}', (at) => {
      if (this.#text[at] !== '"')
        throw new Unreadable(at, `${this.#found(at)} where a member name in double quotes is due`);
      const name = this.#string(at);
      const colon = this.skipBlanks(name.end);
      if (this.#text[colon] !== ':') throw new Unreadable(colon, `${this.#found(colon)} where ":" is due`);
      const here = [...path, name.value];
      const value = this.value(this.skipBlanks(colon + 1), here);
      if (firstOffsets.has(name.value)) this.#note(name.start, `names ${dottedPath(here)} a second time`);
      firstOffsets.set(name.value, name.start);
      members.push({ name: name.value, start: name.start, end: value.end, value });
      return value.end;
    });
    return { kind: 'object', start, end, members };
  }

  #array(start: number, path: Path): JsonNode {
    const entries: JsonNode[] = [];
    const end = this.#list(start, ']', (at) => {
      const entry = this.value(at, [...path, entries.length]);
      entries.push(entry);
      return entry.end;
    });
    return { kind: 'array', start, end, entries };
  }

  /** Reads parts with commas between them up to `close`; a comma too many or one that is missing is noted and passed. */
  #list(start: number, close: '}' | ']', part: (at: number) => number): number {
    let at = this.skipBlanks(start + 1);
    if (this.#text[at] === close) return at + 1;
    for (;;) {
      at = this.skipBlanks(part(at));
      if (this.#text[at] === close) return at + 1;
      if (at >= this.#text.length) throw new Unreadable(at, `ends where "${close}" is due`);
      if (this.#text[at] !== ',') {
        if (!this.#startsPart(at, close)) throw new Unreadable(at, `${this.#found(at)} where "," or "${close}" is due`);
        this.#note(at, 'has no "," before this');
        continue;
      }
      const comma = at;
      at = this.skipBlanks(at + 1);
      if (this.#text[at] !== close) continue;
      this.#note(comma, `has a "," before "${close}"`);
      return at + 1;
    }
  }

  #startsPart(at: number, close: '}' | ']'): boolean {
    const first = this.#text[at] ?? '';
    return close === '}' ? first === '"' : /["{[\d-]/.test(first);
  }

  #string(start: number): JsonNode & { readonly kind: 'string' } {
    let value = '';
    let at = start + 1;
    for (;;) {
      const unit = this.#text[at];
      if (unit === undefined) throw new Unreadable(start, 'has a text that never ends');
      if (unit === '"') break;
      if (unit === '\n' || unit === '\r') throw new Unreadable(at, 'has a line end inside a text; write \\n');
      if (unit < ' ') this.#note(at, 'has a control character inside a text; write it as \\u00XX');
      if (unit !== '\\') {
        value += unit;
        at += 1;
        continue;
      }
      const [meant, length] = this.#escape(at);
      value += meant;
      at += length;
    }
    if (/\p{Surrogate}/u.test(value)) this.#note(start, 'has half of a surrogate pair inside a text');
    return { kind: 'string', start, end: at + 1, value };
  }

  #escape(at: number): readonly [meant: string, length: number] {
    const letter = this.#text[at + 1] ?? '';
    const simple = ESCAPES.get(letter);
    if (simple !== undefined) return [simple, 2];
    const digits = this.#text.slice(at + 2, at + 6);
    if (letter === 'u' && /^[\da-fA-F]{4}$/.test(digits)) return [String.fromCharCode(Number.parseInt(digits, 16)), 6];
    this.#note(at, 'has an escape that JSON does not know');
    return ['', letter === '"' || letter === '' ? 1 : 2];
  }

  #number(start: number): JsonNode {
    NUMBER.lastIndex = start;
    const digits = NUMBER.exec(this.#text)?.[0] ?? '';
    WORD.lastIndex = start;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    const end = start + word.length;
    if (digits !== word) this.#note(start, 'has something that starts like a number and is none of JSON');
    const value = Number(digits);
    if (!Number.isFinite(value)) this.#note(start, 'has a number that is too large to hold');
    return { kind: 'number', start, end, value };
  }

  #word(start: number): JsonNode {
    WORD.lastIndex = start;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    const end = start + word.length;
    if (word === 'true' || word === 'false') return { kind: 'boolean', start, end, value: word === 'true' };
    if (word === 'null') return { kind: 'null', start, end };
    throw new Unreadable(start, `${this.#found(start)} where a value is due`);
  }

  /** What stands there. A word is never repeated: it may be a secret somebody forgot to quote. */
  #found(at: number): string {
    if (at >= this.#text.length) return 'ends';
    if (this.#text.startsWith('//', at) || this.#text.startsWith('/*', at)) return 'has a comment, which JSON has not,';
    if (/[\w.+-]/.test(this.#text[at] ?? '')) return 'has a word without quotes';
    return `has ${JSON.stringify(String.fromCodePoint(this.#text.codePointAt(at) ?? 0))}`;
  }

  #note(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }
}
