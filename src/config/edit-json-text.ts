/**
 * Sets one value inside a JSON text and leaves the rest as its owner wrote it: order, other members, blank lines. The
 * text is cut at the places the strict reader found, so nothing is parsed and printed anew but the value itself.
 */
import { type JsonNode, type JsonValue, memberOf, plainValue } from './json-document.js';
import { readStrictJson } from './strict-json.js';

export type Edit =
  | { readonly kind: 'set'; readonly path: readonly string[]; readonly value: JsonValue }
  /** Adds to the end of a list, which is made when it is not there; an equal entry is not added twice. */
  | { readonly kind: 'append'; readonly path: readonly string[]; readonly value: JsonValue };

/**
 * The text after the edit, ending in a line end. The text must read as one object without problems; a member on the path
 * that is there and is no object is replaced by one.
 */
export function editJsonText(text: string, edit: Edit): string {
  const { root } = readStrictJson(new TextEncoder().encode(text));
  if (root === null) throw new TypeError('an unreadable text cannot be edited');
  const found = nearest(root, edit.path);
  const unit = indentUnit(text);
  const value = edit.kind === 'set' || found.rest.length > 0 ? edit.value : appended(found.node, edit.value);
  const nested = edit.kind === 'append' && found.rest.length > 0 ? [value] : value;
  const depth = edit.path.length - found.rest.length;
  const edited =
    found.rest.length === 0
      ? replaced(text, found.node, print(nested, unit, depth))
      : inserted(text, found.node, found.rest, nested, { unit, depth });
  return edited.endsWith('\n') ? edited : `${edited}\n`;
}

interface Nearest {
  /** The deepest node of the path that is there. */
  readonly node: JsonNode;
  /** Names of the path below it. */
  readonly rest: readonly string[];
}

function nearest(root: JsonNode, path: readonly string[]): Nearest {
  let node = root;
  for (const [at, name] of path.entries()) {
    const member = memberOf(node, name);
    if (member === null) return { node, rest: path.slice(at) };
    node = member.value;
  }
  return { node, rest: [] };
}

function appended(node: JsonNode, value: JsonValue): JsonValue {
  const entries = node.kind === 'array' ? node.entries.map(plainValue) : [];
  const known = entries.some((entry) => JSON.stringify(entry) === JSON.stringify(value));
  return known ? entries : [...entries, value];
}

function replaced(text: string, node: JsonNode, printed: string): string {
  return text.slice(0, node.start) + printed + text.slice(node.end);
}

interface Layout {
  readonly unit: string;
  /** How deep `node` stands. */
  readonly depth: number;
}

/** Adds a member behind the last one of `node`, with the objects between it and the value. */
function inserted(text: string, node: JsonNode, rest: readonly string[], value: JsonValue, layout: Layout): string {
  const [name = '', ...below] = rest;
  const nested = below.reduceRight<JsonValue>((inner, step) => Object.fromEntries([[step, inner]]), value);
  if (node.kind !== 'object') {
    return replaced(text, node, print(Object.fromEntries([[name, nested]]), layout.unit, layout.depth));
  }
  const member = `${JSON.stringify(name)}: ${print(nested, layout.unit, layout.depth + 1)}`;
  const inner = `\n${layout.unit.repeat(layout.depth + 1)}`;
  const last = node.members.at(-1);
  if (last === undefined) return replaced(text, node, `{${inner}${member}\n${layout.unit.repeat(layout.depth)}}`);
  const onOneLine = !text.slice(node.start, node.end).includes('\n');
  return `${text.slice(0, last.end)},${onOneLine ? ' ' : inner}${member}${text.slice(last.end)}`;
}

function print(value: JsonValue, unit: string, depth: number): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${unit.repeat(depth)}`);
}

/** The text's own indent: that of its first indented line, else two blanks. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}
