/** The grammar of a parked reading's strings, and reading one object strictly: every due member, no other, none twice. */
import { ColdsealError } from '../contract/error.js';
import {
  isPosition,
  POSITIONS,
  type Position,
  READING_SCHEMA_VERSION,
  type ReadingPreset,
} from '../contract/reading.js';
import { JsonFault } from './byte-cursor.js';
import type { JsonReader } from './json-reader.js';
import { invalid } from './parked-file.js';

export const RUN_ID = /^rdg-\d{1,32}$/;
export const ITEM_KEY = /^itm-\d{4,9}$/;
const LONGEST_STRING_BYTES = 64 * 1024;
/** An item's kind is its name in records and plans. */
const KIND = /^[^\p{Cc}]{1,256}$/u;

type Members = Readonly<Record<string, () => Promise<void>>>;

/** Reads each member by its own function; `optional` names those that may be missing. */
export const readMembers = async (
  reader: JsonReader,
  members: Members,
  optional: readonly string[] = [],
): Promise<void> => {
  const missing = new Set(Object.keys(members));
  for await (const name of reader.members()) {
    const read = Object.hasOwn(members, name) ? members[name] : undefined;
    if (read === undefined) throw reader.fault('has a member that its schema does not name');
    missing.delete(name);
    await read();
  }
  for (const name of optional) missing.delete(name);
  if (missing.size > 0) throw reader.fault(`lacks ${[...missing].join(', ')} in an object that ends here`);
};

export const readText = (reader: JsonReader): Promise<string> => reader.readString(LONGEST_STRING_BYTES);

/** A string of a fixed form. `what` ends the sentence "something else where ... is due". */
export const readForm = async (reader: JsonReader, form: RegExp, what: string): Promise<string> => {
  const text = await readText(reader);
  if (!form.test(text)) throw reader.fault(`has something else where ${what} is due`);
  return text;
};

export const readKind = (reader: JsonReader): Promise<string> => readForm(reader, KIND, 'a kind on one line');

export const readConstant = async (reader: JsonReader, constant: string): Promise<void> => {
  if ((await readText(reader)) !== constant) throw reader.fault(`does not say "${constant}" where it is due`);
};

export const readSchemaVersion = async (reader: JsonReader): Promise<void> => {
  const version = await reader.readCount();
  if (version !== READING_SCHEMA_VERSION) {
    throw reader.fault(`has schema version ${version}; this build reads ${READING_SCHEMA_VERSION}`);
  }
};

export const readPosition = async (reader: JsonReader): Promise<Position> => {
  const text = await readText(reader);
  if (!isPosition(text)) throw reader.fault(`names no position; there are ${POSITIONS.join(', ')}`);
  return text;
};

const readTexts = async (reader: JsonReader): Promise<readonly string[]> => {
  const texts: string[] = [];
  for await (const index of reader.entries()) {
    if (index >= MOST_NAMES) throw reader.fault(`names more than ${MOST_NAMES} in one list of its preset`);
    texts.push(await readText(reader));
  }
  return texts;
};

const MOST_NAMES = 10_000;

export const readPreset = async (reader: JsonReader): Promise<ReadingPreset> => {
  let preset: ReadingPreset = {};
  await readMembers(
    reader,
    {
      kinds: async () => {
        preset = { ...preset, kinds: await readTexts(reader) };
      },
      records: async () => {
        preset = { ...preset, records: await readTexts(reader) };
      },
      location_narrowings: async () => {
        preset = { ...preset, location_narrowings: await reader.readCount() };
      },
    },
    ['kinds', 'records', 'location_narrowings'],
  );
  return preset;
};

/** Turns a fault of the document into a refusal that names the file and the byte. */
export const refuseFaults = async <T>(shown: string, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ColdsealError) throw error;
    if (error instanceof JsonFault) throw invalid(`${shown} ${error.message} (byte ${error.offset}).`, error);
    throw error;
  }
};
