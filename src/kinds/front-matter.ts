/** YAML front matter between `---` lines at the start of a record. Records come from a checkout: nothing is trusted. */
import { parseDocument } from 'yaml';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';

export interface ParsedRecord {
  /** Empty where there is no front matter. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** The text after the front matter. */
  readonly body: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/** `INPUT_MISSING` naming the file when its front matter is no YAML mapping. */
export const parseRecord = (name: string, text: string): ParsedRecord => {
  const found = FRONT_MATTER.exec(text);
  if (found === null || found.index !== 0) return { fields: new Map(), body: text };
  const document = parseDocument(found[1] ?? '', { schema: 'core', uniqueKeys: true, logLevel: 'silent' });
  const values: unknown = document.errors.length > 0 ? undefined : toValues(document);
  if (values !== null && (typeof values !== 'object' || Array.isArray(values))) {
    throw new ColdsealError('INPUT_MISSING', `The front matter of ${printable(name)} does not read as YAML fields.`);
  }
  return { fields: new Map(Object.entries(values ?? {})), body: text.slice(found[0].length) };
};

/** Without following aliases: they can make a few lines grow without bound. */
const toValues = (document: ReturnType<typeof parseDocument>): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return undefined;
  }
};

/** A field as one line of text; `null` where there is none. Numbers are written as they are. */
export const textField = ({ fields }: ParsedRecord, name: string): string | null => {
  const value = fields.get(name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};

/** A field that is one text or a list of texts. */
export const textsField = (record: ParsedRecord, name: string): readonly string[] => {
  const value = record.fields.get(name);
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'string').map((entry) => entry.trim());
  const text = textField(record, name);
  return text === null ? [] : [text];
};
