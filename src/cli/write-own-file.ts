/** A file that the person names with `--output`. It may hold what a bundle or an answer holds, so it is theirs alone. */
import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';

const unwritable = (cause: unknown): ColdsealError =>
  new ColdsealError('USAGE', 'the file of --output cannot be written; name one in a folder of yours', { cause });

/**
 * Asked before a run begins: an answer that was paid for must have a place to go. Writes nothing; `USAGE` when the file
 * is a folder, may not be written, or its folder is not there.
 */
export const requireWritable = async (folder: string, file: string): Promise<void> => {
  const path = resolve(folder, file);
  try {
    const facts = await stat(path).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return null;
      throw fault;
    });
    if (facts?.isDirectory() === true) throw new TypeError('a folder');
    await access(facts === null ? dirname(path) : path, constants.W_OK);
  } catch (cause) {
    throw unwritable(cause);
  }
};

/** `USAGE` when it cannot be written. `file` as typed, from `folder`. */
export const writeOwnFile = async (folder: string, file: string, bytes: Uint8Array): Promise<void> => {
  try {
    await writeFile(resolve(folder, file), bytes, { mode: 0o600 });
  } catch (cause) {
    throw unwritable(cause);
  }
};
