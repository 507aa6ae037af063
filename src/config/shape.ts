/**
 * Shapes: what a member of a settings file may be. One shape reads a placed JSON value, notes every problem where it
 * stands, and says the same thing as a JSON schema, so the reader, `config check` and `config schema` cannot drift apart.
 *
 * Not zod: its issues have no place in the text, its records pass over a member called `__proto__` in silence, and an
 * object with one wrong member would hide what else is wrong with it.
 */
import { nearestName } from '../contract/nearest-name.js';
import { dottedPath, type JsonNode, type JsonValue, plainValue, typeName } from './json-document.js';

export type Path = readonly (string | number)[];

/** Takes a problem: where it stands and what is wrong, as a whole sentence without its end. */
export type Note = (node: { readonly start: number }, message: string) => void;

export interface Shape<T> {
  /** The value as usable, or `undefined` when a problem was noted. */
  readonly read: (node: JsonNode, path: Path, note: Note) => T | undefined;
  readonly schema: { readonly [name: string]: JsonValue };
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never;

/** Ends a sentence that names the value, e.g. `is absolute`; `null` when nothing is wrong. */
type Judge<T> = (value: T) => string | null;

export const ownName = (path: Path): string => dottedPath(path);

function expected(node: JsonNode, path: Path, note: Note, due: string): undefined {
  note(node, `${ownName(path)} must be ${due}, not ${typeName(node)}`);
  return undefined;
}

export interface TextRules {
  readonly due: string;
  readonly pattern?: RegExp;
  /** UTF-8 bytes. */
  readonly mostBytes?: number;
}

/** A text that is not empty. */
export function text(rules: TextRules): Shape<string> {
  const mostBytes = rules.mostBytes ?? 4096;
  return {
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: mostBytes,
      ...(rules.pattern === undefined ? {} : { pattern: rules.pattern.source }),
    },
    read: (node, path, note) => {
      if (node.kind !== 'string') return expected(node, path, note, rules.due);
      const bytes = new TextEncoder().encode(node.value).length;
      if (bytes > mostBytes) {
        note(node, `${ownName(path)} is ${bytes} bytes long; the limit is ${mostBytes} bytes`);
        return undefined;
      }
      if (node.value === '' || rules.pattern?.test(node.value) === false) {
        note(node, `${ownName(path)} must be ${rules.due}`);
        return undefined;
      }
      return node.value;
    },
  };
}

export function wholeNumber(rules: {
  readonly least: number;
  readonly most: number;
  readonly unit: string;
}): Shape<number> {
  const due = `a whole number of ${rules.unit} from ${rules.least} to ${rules.most}`;
  return {
    schema: { type: 'integer', minimum: rules.least, maximum: rules.most },
    read: (node, path, note) => {
      if (node.kind !== 'number') return expected(node, path, note, due);
      if (Number.isSafeInteger(node.value) && node.value >= rules.least && node.value <= rules.most) return node.value;
      note(node, `${ownName(path)} must be ${due}`);
      return undefined;
    },
  };
}

export const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read: (node, path, note) => (node.kind === 'boolean' ? node.value : expected(node, path, note, 'true or false')),
};

export function oneOf<const W extends string>(words: readonly W[]): Shape<W> {
  const due = `one of ${words.map((word) => `"${word}"`).join(', ')}`;
  return {
    schema: { enum: words },
    read: (node, path, note) => {
      if (node.kind !== 'string') return expected(node, path, note, due);
      const word = words.find((known) => known === node.value);
      if (word === undefined) note(node, `${ownName(path)} must be ${due}${suggestion(node.value, words)}`);
      return word;
    },
  };
}

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
      if (!inside) note(node, `${ownName(path)} has ${count} entries; it takes ${least} to ${rules.most}`);
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
      note(entry, `${ownName([...path, at])} stands in the list a second time`);
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
      if (!whole) note(node, `${ownName(path)} has ${node.members.length} members; the limit is ${names.most}`);
      const read = new Map<string, T>();
      for (const member of node.members) {
        const here = [...path, member.name];
        const wrong = names.pattern.test(member.name) ? (names.judge?.(member.name) ?? null) : `is not ${names.due}`;
        if (wrong !== null) note(member, `${ownName(here)}: the name ${wrong}`);
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
          note(member, `${ownName(here)} is no known member${suggestion(member.name, [...known.keys()])}`);
          whole = false;
          continue;
        }
        const value = shape.read(member.value, here, note);
        if (value === undefined) whole = false;
        else read.set(member.name, value);
      }
      for (const name of Object.keys(required)) {
        if (node.members.some((member) => member.name === name)) continue;
        note(node, `${ownName([...path, name])} is missing`);
        whole = false;
      }
      // The members read are exactly those the two tables name, each by its own shape.
      return whole ? (Object.fromEntries(read) as Required<R> & Optional<O>) : undefined;
    },
  };
}

/** A shape with one more judgement on what it read. */
export function judged<T>(shape: Shape<T>, judge: Judge<T>): Shape<T> {
  return mapped(shape, (value) => {
    const wrong = judge(value);
    return wrong === null ? { ok: true, value } : { ok: false, wrong };
  });
}

export type Mapped<U> = { readonly ok: true; readonly value: U } | { readonly ok: false; readonly wrong: string };

/** A shape whose value becomes another one, or is refused. */
export function mapped<T, U>(shape: Shape<T>, map: (value: T) => Mapped<U>): Shape<U> {
  return {
    schema: shape.schema,
    read: (node, path, note) => {
      const value = shape.read(node, path, note);
      if (value === undefined) return undefined;
      const outcome = map(value);
      if (outcome.ok) return outcome.value;
      note(node, `${ownName(path)} ${outcome.wrong}`);
      return undefined;
    },
  };
}

export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `; did you mean "${nearest}"?`;
}
