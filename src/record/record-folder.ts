/**
 * The records folder and the files in it. A file is opened without following a link and judged by its descriptor, so
 * nobody can swap it between the look and the write. What others may read is narrowed to the owner; what others may
 * write, what belongs to somebody else, and links of either sort are refused: their content is not the owner's word.
 */
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, type FileFacts, type OpenFile, type RecordFiles } from './record-files.js';
import { refuseStore } from './unwritable.js';

const MONTH_FILE = /^\d{4}-(?:0[1-9]|1[0-2])\.jsonl$/;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;

/** `2026-11.jsonl` for any moment of November 2026 in UTC. */
export const monthFile = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, 7)}.jsonl`;

/** Month files in chain order; an empty list where there is no folder. */
export async function listMonthFiles(files: RecordFiles, folder: string): Promise<readonly string[]> {
  try {
    return (await files.readdir(folder)).filter((name) => MONTH_FILE.test(name)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Makes the folder (0700) where it is missing and refuses one that is not safely the caller's. */
export async function secureFolder(files: RecordFiles, folder: string, ownUid: number): Promise<void> {
  if (await files.mkdir(folder, 0o700)) await syncFolder(files, dirname(folder));
  const facts = await files.lstat(folder);
  if (facts.isSymbolicLink() || !facts.isDirectory()) {
    throw refuseStore(`${folder} is not a real folder`, 'Remove it, or set `coldseal.records_dir` to a real folder.');
  }
  await refuseForeign(folder, facts, ownUid);
  if ((facts.mode & OTHERS_MAY_ANYTHING) !== 0) await files.chmod(folder, 0o700);
}

/**
 * Opens one file of the store. `flags` never need O_NOFOLLOW: it is always added.
 *
 * @returns an open file that the caller closes.
 */
export async function openOwned(
  files: RecordFiles,
  path: string,
  flags: number,
  ownUid: number,
): Promise<{ readonly file: OpenFile; readonly facts: FileFacts }> {
  const file = await files.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.nlink !== 1) {
      throw refuseStore(`${path} is not a file of its own (a link, a pipe or a device)`, 'Remove it.');
    }
    await refuseForeign(path, facts, ownUid);
    // A reader changes nothing: the store may be a copy on a disk that cannot be written.
    const writes = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (writes && (facts.mode & OTHERS_MAY_ANYTHING) !== 0) await file.chmod(0o600);
    return { file, facts };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Makes an entry's name durable; the file's own fsync does not. */
export async function syncFolder(files: RecordFiles, folder: string): Promise<void> {
  const file = await files.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export const inFolder = (folder: string, name: string): string => join(folder, name);

async function refuseForeign(path: string, facts: FileFacts, ownUid: number): Promise<void> {
  if (facts.uid !== ownUid) {
    throw refuseStore(
      `${path} belongs to user ${facts.uid}, not to you (${ownUid})`,
      'Correct the owner, or set `coldseal.records_dir` to a folder of yours.',
    );
  }
  if ((facts.mode & OTHERS_MAY_WRITE) !== 0) {
    const mode = (facts.mode & 0o7777).toString(8).padStart(4, '0');
    throw refuseStore(
      `${path} has mode ${mode}, so others may write it`,
      `Look at what is in it, then: chmod ${facts.isDirectory() ? '700' : '600'} ${path}`,
    );
  }
}
