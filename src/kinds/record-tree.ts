/** Where records stand in a checkout and how one is found by its id (cli.md, "Record tree"). */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { type ParsedRecord, parseRecord, textField, textsField } from './front-matter.js';
import type { RecordFile, RecordFiles } from './record-files.js';

const INTENTS = '.abcd/development/intents';
const SPECS = '.abcd/development/specs';
const BRIEF = '.abcd/development/brief';
const ISSUES = '.abcd/work/issues';

const INTENT_FOLDERS = ['drafts', 'planned', 'shipped', 'superseded', 'disciplines'] as const;
export type IntentFolder = (typeof INTENT_FOLDERS)[number];

export interface ReadRecord extends ParsedRecord {
  /** `itd-7`, from the file's name. */
  readonly id: string;
  readonly file: RecordFile;
  readonly text: string;
}

export interface Intent extends ReadRecord {
  readonly folder: IntentFolder;
}

const INTENT_ID = /^itd-\d+$/;

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
const folderName = (name: string): string => name.split('/').at(-2) ?? '';

/** The id a file's name begins with, e.g. `itd-7` of `itd-7-first.md`. */
const idOf = (file: RecordFile, prefix: string): string | null =>
  new RegExp(`^(${prefix}-\\d+)(?:-.*)?\\.md$`).exec(baseName(file.name))?.[1] ?? null;

const numberOf = (id: string): bigint => BigInt(id.slice(id.indexOf('-') + 1));

/** By number, then by name: `spc-9` before `spc-10`. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => {
  const [left, right] = [numberOf(a.id), numberOf(b.id)];
  return left === right ? (a.id < b.id ? -1 : 1) : left < right ? -1 : 1;
};

export const checkIntentId = (id: string): string => {
  if (INTENT_ID.test(id)) return id;
  throw new ColdsealError('USAGE', `"${printable(id)}" is no intent's id; it is written itd-<digits>.`);
};

const readAll = async (
  files: RecordFiles,
  found: readonly { readonly id: string; readonly file: RecordFile }[],
): Promise<readonly ReadRecord[]> => {
  const texts = await files.texts(found.map(({ file }) => file));
  return found.map(({ id, file }, at) => {
    const text = texts[at] ?? '';
    return { id, file, text, ...parseRecord(file.name, text) };
  });
};

const listed = async (files: RecordFiles, folder: string, prefix: string) =>
  (await files.below(folder)).flatMap((file) => {
    const id = idOf(file, prefix);
    return id === null ? [] : [{ id, file }];
  });

const isIntentFolder = (name: string): name is IntentFolder => INTENT_FOLDERS.some((folder) => folder === name);

/** Intents of these folders, bytewise path order. */
export const readIntents = async (
  files: RecordFiles,
  wanted: (id: string, folder: IntentFolder) => boolean,
): Promise<readonly Intent[]> => {
  const found = (await listed(files, INTENTS, 'itd')).flatMap(({ id, file }) => {
    const folder = folderName(file.name);
    if (file.name !== `${INTENTS}/${folder}/${baseName(file.name)}` || !isIntentFolder(folder)) return [];
    return wanted(id, folder) ? [{ id, file, folder }] : [];
  });
  const records = await readAll(files, found);
  return records.flatMap((record, at) => {
    const folder = found[at]?.folder;
    return folder === undefined ? [] : [{ ...record, folder }];
  });
};

/** The one intent with this id. `INPUT_MISSING` when there is none or more than one, saying where it was found. */
export const findIntent = async (files: RecordFiles, id: string, folders: readonly IntentFolder[]): Promise<Intent> => {
  const found = await readIntents(files, (other) => other === id);
  const [intent, second] = found.filter(({ folder }) => folders.includes(folder));
  if (intent !== undefined && second === undefined) return intent;
  const where = found.map(({ file }) => printable(file.name)).join(', ');
  const why = second === undefined ? (where === '' ? 'there is none' : `it is ${where}`) : `there are ${where}`;
  throw new ColdsealError(
    'INPUT_MISSING',
    `${id} is not one intent under ${INTENTS}/{${folders.join(',')}}/ at the commit that is read: ${why}.`,
    { facts: { input: 'intent' } },
  );
};

/** Every closed spec of the intent in id order; where none is closed, the intent's own `spec_id`. */
export const findSpecs = async (files: RecordFiles, intent: Intent): Promise<readonly ReadRecord[]> => {
  const all = await listed(files, SPECS, 'spc');
  const closed = all.filter(({ file }) => file.name.startsWith(`${SPECS}/closed/`));
  const ofIntent = (await readAll(files, closed)).filter((spec) => textsField(spec, 'intent').includes(intent.id));
  if (ofIntent.length > 0) return [...ofIntent].sort(byId);
  const own = textField(intent, 'spec_id');
  if (own === null || own === 'null') return [];
  const named = all.filter(({ id }) => id === own);
  if (named.length === 1) return readAll(files, named);
  throw new ColdsealError(
    'INPUT_MISSING',
    `${intent.id} names ${printable(own)} as its spec, and ${named.length === 0 ? 'there is none' : `${named.length} files have that id`} under ${SPECS}/.`,
    { facts: { input: 'specs' } },
  );
};

/** Pages of the brief, path order, without those whose names begin with `_`. */
export const listBrief = async (files: RecordFiles): Promise<readonly RecordFile[]> =>
  (await files.below(BRIEF)).filter(({ name }) => name.endsWith('.md') && !baseName(name).startsWith('_'));

/** Issues that are resolved: by their folder or by their own status. */
export const readResolvedIssues = async (files: RecordFiles): Promise<readonly ReadRecord[]> =>
  (await readAll(files, await listed(files, ISSUES, 'iss'))).filter(
    (issue) => issue.file.name.split('/').includes('resolved') || textField(issue, 'status') === 'resolved',
  );
