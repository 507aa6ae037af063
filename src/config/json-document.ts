/**
 * A JSON text as a tree that remembers where everything stands. Members are lists of pairs, never properties of an
 * object, so `__proto__` is a name like any other and a name that comes twice is still seen twice.
 */

/** Half-open range of UTF-16 units in the document's text. */
interface Placed {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember extends Placed {
  readonly name: string;
  readonly value: JsonNode;
}

export type JsonObject = Placed & { readonly kind: 'object'; readonly members: readonly JsonMember[] };
export type JsonArray = Placed & { readonly kind: 'array'; readonly entries: readonly JsonNode[] };
export type JsonNode =
  | JsonObject
  | JsonArray
  | (Placed & { readonly kind: 'string'; readonly value: string })
  | (Placed & { readonly kind: 'number'; readonly value: number })
  | (Placed & { readonly kind: 'boolean'; readonly value: boolean })
  | (Placed & { readonly kind: 'null' });

/** 1-based; columns count characters, not bytes. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Something wrong at one place of a text. */
export interface Problem {
  readonly offset: number;
  readonly message: string;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** What a person calls the node's type. */
export function typeName(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return `${node.value}`;
    case 'null':
      return 'null';
    default:
      return node satisfies never;
  }
}

/** The plain value. A member called `__proto__` becomes an own property and reaches no prototype. */
export function plainValue(node: JsonNode): JsonValue {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map((member) => [member.name, plainValue(member.value)]));
    case 'array':
      return node.entries.map(plainValue);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

export function memberOf(node: JsonNode | null, name: string): JsonMember | null {
  if (node?.kind !== 'object') return null;
  return node.members.find((member) => member.name === name) ?? null;
}

/** The node at a path of member names, or `null`. */
export function nodeAt(root: JsonNode | null, path: readonly string[]): JsonNode | null {
  return path.reduce<JsonNode | null>((node, name) => memberOf(node, name)?.value ?? null, root);
}

/** `oracle.api.acme`; a name that is more than letters, digits, `_` and `-` stands in quotes. */
export function dottedPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[\w-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** Finds line and column of an offset; built once a text, so a problem costs a binary search. */
export function placeFinder(text: string): (offset: number) => Place {
  const lineStarts = [0];
  for (const lineEnd of text.matchAll(/\r\n|\n|\r/g)) lineStarts.push(lineEnd.index + lineEnd[0].length);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = [...text.slice(lineStarts[low] ?? 0, offset)].length + 1;
    return { line: low + 1, column };
  };
}
