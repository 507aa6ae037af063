/**
 * Files of the record tree at one commit. Kinds see this and not the repository, so that the same composition can be
 * made from git objects (what may leave) and from the work tree (what stays here).
 */
import { ColdsealError } from '../contract/error.js';
import type { PreparedItem } from '../contract/item.js';
import { countItems } from '../contract/item-bounds.js';
import type { PathMatch } from '../contract/path-glob.js';
import { printablePath } from '../contract/printable-path.js';
import type { BlobRead, Repository, TreeEntry } from '../contract/repository.js';

export interface RecordFile {
  readonly path: Uint8Array;
  /** The path as text, for matching and for messages. */
  readonly name: string;
}

export interface RecordFiles {
  /** Regular files below a folder of `.abcd`, bytewise path order; none where there is no such folder. */
  below(folder: string): Promise<readonly RecordFile[]>;
  /** Their texts in the same order: UTF-8 without a mark, U+FFFD for what is no text. */
  texts(files: readonly RecordFile[]): Promise<readonly string[]>;
  /**
   * True for a file that must not travel. It may be read to tell what it is (its id, whose spec it is), and nothing that a
   * request quotes or hashes may come from it.
   */
  isWithheld(file: RecordFile): boolean;
  /** The file whole, as an item. */
  item(file: RecordFile): Promise<PreparedItem>;
}

/** A record is read by people; one over this is no record. */
export const MOST_RECORD_BYTES = 4 * 1024 * 1024;
const MOST_RECORDS_BYTES = 256 * 1024 * 1024;

export const recordText = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8').decode(Uint8Array.from(bytes)).replaceAll('\0', '\ufffd');

const tooLarge = (what: string, bytes: number, limitBytes: number): ColdsealError =>
  new ColdsealError('ITEM_TOO_LARGE', `${what}: ${bytes} bytes; at most ${limitBytes} are read of records.`, {
    facts: { bytes, limit_bytes: limitBytes },
  });

const isRegular = ({ mode }: TreeEntry): boolean => mode.startsWith('100');

/** What stands in a request for the words of a file that is withheld. */
export const withheldWords = ({ path }: RecordFile): string => `withheld: ${printablePath(path)}`;

/** Everything that is asked for stands below it. */
const RECORDS = Buffer.from('.abcd/');

/** Reads git objects at a commit. The tree is listed once, and nothing is held of the files that are no records. */
export const recordFilesAt = (
  repository: Repository,
  commit: string,
  isWithheld: PathMatch,
  signal: AbortSignal,
): RecordFiles => {
  const listed = new Map<RecordFile, TreeEntry>();
  let tree: Promise<readonly RecordFile[]> | null = null;
  const list = async (): Promise<readonly RecordFile[]> => {
    const count = countItems('The record tree has', 'Records are read by people; move the rest elsewhere.');
    const entries = await repository.listTree(commit, (entry) => {
      if (!isRegular(entry) || !RECORDS.equals(entry.path.subarray(0, RECORDS.length))) return false;
      count();
      return true;
    });
    return entries.map((entry) => {
      const file = { path: entry.path, name: Buffer.from(entry.path).toString('utf8') };
      listed.set(file, entry);
      return file;
    });
  };
  const entryOf = (file: RecordFile): TreeEntry => {
    const entry = listed.get(file);
    if (entry === undefined)
      throw new ColdsealError('INTERNAL', 'A record was read from a commit that did not list it.');
    return entry;
  };
  return {
    below: async (folder) => {
      tree ??= list();
      return (await tree).filter(({ name }) => name.startsWith(`${folder}/`));
    },
    isWithheld: ({ path }) => isWithheld(path),
    texts: async (files) => readTexts(repository, files, files.map(entryOf), signal),
    item: async (file) => {
      const { objectId, mode } = entryOf(file);
      return { path: file.path, label: null, origin: { kind: 'blob', objectId, mode }, rawBytes: null };
    },
  };
};

const readTexts = async (
  repository: Repository,
  files: readonly RecordFile[],
  entries: readonly TreeEntry[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const sizes = await repository.blobSizes(entries.map(({ objectId }) => objectId));
  let total = 0;
  for (const [at, size] of sizes.entries()) {
    total += size;
    const name = printablePath(files[at]?.path ?? new Uint8Array(0));
    if (size > MOST_RECORD_BYTES) throw tooLarge(name, size, MOST_RECORD_BYTES);
  }
  if (total > MOST_RECORDS_BYTES) throw tooLarge('The records together', total, MOST_RECORDS_BYTES);
  if (entries.length === 0) return [];
  const reads = function* (): Generator<BlobRead, void, undefined> {
    for (const [at, { objectId }] of entries.entries()) {
      const size = sizes[at] ?? 0;
      yield { objectId, size, target: new Uint8Array(size) };
    }
  };
  const texts: string[] = [];
  for await (const read of repository.readBlobs(reads(), signal)) texts.push(recordText(read.target));
  return texts;
};
