/**
 * Takes one member or one entry out of a JSON text and leaves the rest as its owner wrote it. What the cut leaves empty
 * goes too, up to the members of the file itself: an empty project entry would still count as an entry.
 */
import {
  type JsonArray,
  type JsonNode,
  type JsonObject,
  type JsonValue,
  memberOf,
  nodeAt,
  plainValue,
} from './json-document.js';
import { readStrictJson } from './strict-json.js';

interface Placed {
  readonly start: number;
  readonly end: number;
}

/** The text without the member; unchanged where it is not there. */
export function withoutMember(text: string, path: readonly string[]): string {
  const parentPath = path.slice(0, -1);
  const parent = nodeAt(rootOf(text), parentPath);
  const member = memberOf(parent, path.at(-1) ?? '');
  if (parent?.kind !== 'object' || member === null) return text;
  if (parent.members.length === 1 && parentPath.length > 1) return withoutMember(text, parentPath);
  return cut(text, parent, parent.members, parent.members.indexOf(member));
}

/** The text without every entry of the list that `isEntry` picks; a list that this empties goes whole. */
export function withoutEntries(text: string, path: readonly string[], isEntry: (value: JsonValue) => boolean): string {
  const list = nodeAt(rootOf(text), path);
  if (list?.kind !== 'array') return text;
  const at = list.entries.findIndex((entry) => isEntry(plainValue(entry)));
  if (at < 0) return text;
  if (list.entries.length === 1) return withoutMember(text, path);
  return withoutEntries(cut(text, list, list.entries, at), path, isEntry);
}

function rootOf(text: string): JsonNode {
  const { root } = readStrictJson(new TextEncoder().encode(text));
  if (root === null) throw new TypeError('an unreadable text cannot be edited');
  return root;
}

/** With its comma: up to the next part, or from the end of the last one that stays. */
function cut(text: string, whole: JsonObject | JsonArray, parts: readonly Placed[], at: number): string {
  const part = parts[at];
  const next = parts[at + 1];
  const last = parts[at - 1];
  if (part === undefined) return text;
  if (next !== undefined) return text.slice(0, part.start) + text.slice(next.start);
  if (last !== undefined) return text.slice(0, last.end) + text.slice(part.end);
  return `${text.slice(0, whole.start + 1)}${text.slice(whole.end - 1)}`;
}
