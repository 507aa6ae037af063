/**
 * Shapes of lists, of objects whose names are ours, and of objects whose names are the owner's. One wrong member is noted
 * and the others are still read, so a file's problems are all named at once; an unknown name suggests the nearest known.
 */
import { dottedPath, type JsonNode, plainValue } from './json-document.js';
import { expected, type Judge, type Note, type Path, type Shape, suggestion, type ValueOf } from './shape.js';

export interface ListRules {
  readonly least?: number;
  readonly most: number;
  /** No entry may stand there twice. */
  readonly unique?: boolean;
}

/** A list. A wrong entry is noted and the others are still read. */
export function list<T>(entry: Shape<T>, rules: ListRules): Shape<readonly T[]> {
  const least = rules.least ?? 0;
  return {
    schema: {
      type: 'array',
      items: entry.schema,
      minItems: least,
      maxItems: rules.most,
      ...(rules.unique === true ? { uniqueItems: true } : {}),
    },
    read: (node, path, note) => {
      if (node.kind !== 'array') return expected(node, path, note, 'a list');
      const count = node.entries.length;
      const inside = count >= least && count <= rules.most;
      if (!inside) note(node, `${dottedPath(path)} has ${count} entries; it takes ${least} to ${rules.most}`);
      const entries = node.entries.map((one, at) => entry.read(one, [...path, at], note));
      const unique = rules.unique !== true || noteRepeats(node.entries, path, note);
      const whole = entries.filter((one) => one !== undefined);
      return inside && unique && whole.length === count ? whole : undefined;
    },
  };
}

function noteRepeats(entries: readonly JsonNode[], path: Path, note: Note): boolean {
  const seen = new Set<string>();
  let unique = true;
  for (const [at, entry] of entries.entries()) {
    const value = JSON.stringify(plainValue(entry));
    if (seen.has(value)) {
      const shown = entry.kind === 'string' ? ` is ${value}, which` : '';
      note(entry, `${dottedPath([...path, at])}${shown} stands in the list a second time`);
      unique = false;
    }
    seen.add(value);
  }
  return unique;
}

export interface NameRules {
  /** What a name must be; starts with "a" or "the". */
  readonly due: string;
  readonly pattern: RegExp;
  readonly judge?: Judge<string>;
  readonly most: number;
}

/** An object whose member names are the owner's. */
export function record<T>(names: NameRules, entry: Shape<T>): Shape<ReadonlyMap<string, T>> {
  return {
    schema: {
      type: 'object',
      propertyNames: { pattern: names.pattern.source },
      additionalProperties: entry.schema,
      maxProperties: names.most,
    },
    read: (node, path, note) => {
      if (node.kind !== 'object') return expected(node, path, note, 'an object');
      let whole = node.members.length <= names.most;
      if (!whole) note(node, `${dottedPath(path)} has ${node.members.length} members; the limit is ${names.most}`);
      const read = new Map<string, T>();
      for (const member of node.members) {
        const here = [...path, member.name];
        const wrong = names.pattern.test(member.name) ? (names.judge?.(member.name) ?? null) : `is not ${names.due}`;
        if (wrong !== null) note(member, `${dottedPath(here)}: the name ${wrong}`);
        const value = entry.read(member.value, here, note);
        if (value === undefined || wrong !== null) whole = false;
        else read.set(member.name, value);
      }
      return whole ? read : undefined;
    },
  };
}

type Members = Readonly<Record<string, Shape<unknown>>>;
type Required<M extends Members> = { readonly [K in keyof M]: ValueOf<M[K]> };
type Optional<M extends Members> = { readonly [K in keyof M]: ValueOf<M[K]> | null };

export interface ObjectRules<R extends Members, O extends Members> {
  readonly required?: R;
  /** Read as `null` where they are not given: nothing is optional after the read. */
  readonly optional?: O;
  /** Ours: refused, with the nearest known name. A file we share with others: passed over. */
  readonly unknown: 'refuse' | 'ignore';
}

type NoMembers = Readonly<Record<never, Shape<unknown>>>;

export function object<R extends Members = NoMembers, O extends Members = NoMembers>(
  rules: ObjectRules<R, O>,
): Shape<Required<R> & Optional<O>> {
  const required: Members = rules.required ?? {};
  const optional: Members = rules.optional ?? {};
  const known = new Map([...Object.entries(required), ...Object.entries(optional)]);
  const schemas = [...known].map(([name, shape]) => [name, shape.schema] as const);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(schemas),
      required: Object.keys(required),
      additionalProperties: rules.unknown === 'ignore',
    },
    read: (node, path, note) => {
      if (node.kind !== 'object') return expected(node, path, note, 'an object');
      let whole = true;
      const read = new Map<string, unknown>(Object.keys(optional).map((name) => [name, null]));
      for (const member of node.members) {
        const shape = known.get(member.name);
        const here = [...path, member.name];
        if (shape === undefined) {
          if (rules.unknown === 'ignore') continue;
          note(member, `${dottedPath(here)} is no known member${suggestion(member.name, [...known.keys()])}`);
          whole = false;
          continue;
        }
        const value = shape.read(member.value, here, note);
        if (value === undefined) whole = false;
        else read.set(member.name, value);
      }
      for (const name of Object.keys(required)) {
        if (node.members.some((member) => member.name === name)) continue;
        note(node, `${dottedPath([...path, name])} is missing`);
        whole = false;
      }
      // The members read are exactly those the two tables name, each by its own shape.
      return whole ? (Object.fromEntries(read) as Required<R> & Optional<O>) : undefined;
    },
  };
}
