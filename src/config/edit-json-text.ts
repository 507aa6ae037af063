/**
 * Sets or removes one value inside a JSON text and leaves the rest as its owner wrote it: order, other members, blank lines. The
 * text is cut at the places the strict reader found, so nothing is parsed and printed anew but the value itself.
 */
import { type JsonArray, type JsonNode, type JsonValue, memberOf, plainValue } from './json-document.js';
import { withoutEntries, withoutMember } from './remove-json-text.js';
import { readStrictJson } from './strict-json.js';

export type Edit =
  | { readonly kind: 'set'; readonly path: readonly string[]; readonly value: JsonValue }
  /** Adds to the end of a list, which is made when it is not there; an equal entry is not added twice. */
  | { readonly kind: 'append'; readonly path: readonly string[]; readonly value: JsonValue }
  /** Takes a member away, with the objects that this leaves empty. */
  | { readonly kind: 'unset'; readonly path: readonly string[] }
  /** Takes entries out of a list. */
  | { readonly kind: 'remove'; readonly path: readonly string[]; readonly isEntry: (value: JsonValue) => boolean };

/**
 * The text after the edit; unchanged where the edit changes nothing. The text must read as one object without problems; a
 * member on the path that is there and is no object is replaced by one.
 */
export function editJsonText(text: string, edit: Edit): string {
  if (edit.kind === 'unset') return withoutMember(text, edit.path);
  if (edit.kind === 'remove') return withoutEntries(text, edit.path, edit.isEntry);
  const { root } = readStrictJson(new TextEncoder().encode(text));
  if (root === null) throw new TypeError('an unreadable text cannot be edited');
  const { node, rest } = nearest(root, edit.path);
  const layout = { unit: indentUnit(text), depth: edit.path.length - rest.length };
  const entry = edit.kind === 'append';
  if (rest.length > 0) return ended(inserted(text, node, rest, entry ? [edit.value] : edit.value, layout));
  if (entry && node.kind === 'array') return appended(text, node, edit.value, layout);
  const value = entry ? [edit.value] : edit.value;
  return isSame(node, value) ? text : ended(replaced(text, node, print(value, layout.unit, layout.depth)));
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function isSame(node: JsonNode, value: JsonValue): boolean {
  return JSON.stringify(plainValue(node)) === JSON.stringify(value);
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

/** Adds an entry behind the last one, in its line or in a line of its own as the others stand. */
function appended(text: string, node: JsonArray, value: JsonValue, layout: Layout): string {
  if (node.entries.some((entry) => isSame(entry, value))) return text;
  const last = node.entries.at(-1);
  if (last === undefined) return ended(replaced(text, node, print([value], layout.unit, layout.depth)));
  const onOneLine = !text.slice(node.start, node.end).includes('\n');
  const gap = onOneLine ? ' ' : `\n${layout.unit.repeat(layout.depth + 1)}`;
  return ended(
    `${text.slice(0, last.end)},${gap}${print(value, layout.unit, layout.depth + 1)}${text.slice(last.end)}`,
  );
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
