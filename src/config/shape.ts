/**
 * Shapes: what a member of a settings file may be. One shape reads a placed JSON value, notes every problem where it
 * stands, and says the same thing as a JSON schema, so the reader, `config check` and `config schema` cannot drift apart.
 *
 * Not zod: its issues have no place in the text, its records pass over a member called `__proto__` in silence, and its
 * refinements do not run on a value that has any other issue, so a message would not name every problem.
 */
import { nearestName } from '../contract/nearest-name.js';
import { dottedPath, type JsonNode, type JsonValue, typeName } from './json-document.js';

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
export type Judge<T> = (value: T) => string | null;

/** Notes a value of the wrong type. */
export function expected(node: JsonNode, path: Path, note: Note, due: string): undefined {
  note(node, `${dottedPath(path)} must be ${due}, not ${typeName(node)}`);
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
        note(node, `${dottedPath(path)} is ${bytes} bytes long; the limit is ${mostBytes} bytes`);
        return undefined;
      }
      if (node.value === '' || rules.pattern?.test(node.value) === false) {
        note(node, `${dottedPath(path)} must be ${rules.due}`);
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
      note(node, `${dottedPath(path)} must be ${due}`);
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
      if (word === undefined) note(node, `${dottedPath(path)} must be ${due}${suggestion(node.value, words)}`);
      return word;
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
      note(node, `${dottedPath(path)} ${outcome.wrong}`);
      return undefined;
    },
  };
}

export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `; did you mean "${nearest}"?`;
}
