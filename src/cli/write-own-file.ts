/** A file that the person names with `--output`. It may hold what a bundle or an answer holds, so it is theirs alone. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';

/** `USAGE` when it cannot be written. `file` as typed, from `folder`. */
export const writeOwnFile = async (folder: string, file: string, bytes: Uint8Array): Promise<void> => {
  try {
    await writeFile(resolve(folder, file), bytes, { mode: 0o600 });
  } catch (cause) {
    throw new ColdsealError('USAGE', 'the file of --output cannot be written; name one in a folder of yours', {
      cause,
    });
  }
};
