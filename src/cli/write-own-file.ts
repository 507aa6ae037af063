/**
 * A file that the person names, with `--output` and the like. It may hold what a bundle or an answer holds, so it is
 * theirs alone, and it stands where it was named: in a checkout a link of that name could lead an answer, whose words are
 * a provider's, into any file of the person's. A link to a pipe or a terminal is the shell's own doing and stays.
 */
import { constants, type Stats } from 'node:fs';
import { access, lstat, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';

const refused = (option: string, path: string, why: string, cause?: unknown): ColdsealError =>
  new ColdsealError('USAGE', `the file of ${option}, ${printable(path)}, ${why}`, { cause });

const CANNOT = 'cannot be written; name one in a folder of yours';
const LINK = 'is a symbolic link; name the file that it leads to, or remove the link';

const factsOrNull = async (look: (path: string) => Promise<Stats>, path: string): Promise<Stats | null> => {
  try {
    return await look(path);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault;
  }
};

/** What stands at the path: `null` nothing, else whether a link is to be followed. `USAGE` for what is not written to. */
const judged = async (path: string, option: string): Promise<{ readonly isFollowed: boolean } | null> => {
  const facts = await factsOrNull(lstat, path);
  if (facts === null) return null;
  const target = facts.isSymbolicLink() ? await factsOrNull(stat, path) : facts;
  if (target === null || (target !== facts && (target.isFile() || target.isDirectory())))
    throw refused(option, path, LINK);
  // Without a reader a pipe of that name would hold the run for ever.
  if (facts.isDirectory() || facts.isFIFO()) throw refused(option, path, CANNOT);
  return { isFollowed: target !== facts };
};

/**
 * Asked before a run begins: an answer that was paid for must have a place to go. Writes nothing; `USAGE` when the file
 * is a folder, a pipe or a link, may not be written, or its folder is not there.
 */
export const requireWritable = async (folder: string, file: string, option = '--output'): Promise<void> => {
  const path = resolve(folder, file);
  try {
    const there = await judged(path, option);
    await access(there === null ? dirname(path) : path, constants.W_OK);
  } catch (fault) {
    throw fault instanceof ColdsealError ? fault : refused(option, path, CANNOT, fault);
  }
};

/** `USAGE` when it cannot be written. `file` as typed, from `folder`; `option` is what the person typed it with. */
export const writeOwnFile = async (
  folder: string,
  file: string,
  bytes: Uint8Array,
  option = '--output',
): Promise<void> => {
  const path = resolve(folder, file);
  try {
    const there = await judged(path, option);
    const links = there?.isFollowed === true ? 0 : constants.O_NOFOLLOW;
    const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | links;
    await writeFile(path, bytes, { mode: 0o600, flag });
  } catch (fault) {
    throw fault instanceof ColdsealError ? fault : refused(option, path, CANNOT, fault);
  }
};
