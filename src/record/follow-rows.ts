/**
 * The store's rows as they come: each call gives those that were added since the last one, by whichever process. Nothing
 * is read twice, so following a large store costs what is new in it.
 */
import type { RecordRow } from '../contract/record.js';
import { folderExists, type ReadOptions, readSource } from './read-rows.js';
import { inFolder, listMonthFiles } from './record-folder.js';
import { decodeRow } from './row-line.js';
import { readLines } from './row-stream.js';
import { unreadable } from './unwritable.js';

export interface RowFollower {
  /** Rows since the last call, oldest first. One call at a time. */
  next(): AsyncGenerator<RecordRow>;
}

export function followRows(options: ReadOptions): RowFollower {
  const source = readSource(options);
  let month = '';
  let offsetBytes = 0;

  async function* readNew(): AsyncGenerator<RecordRow> {
    if (!(await folderExists(source))) return;
    for (const name of await listMonthFiles(source.files, source.folder)) {
      if (name < month) continue;
      if (name > month) {
        month = name;
        offsetBytes = 0;
      }
      const { size } = await source.files.lstat(inFolder(source.folder, name));
      // A row that could not be finished was taken back.
      if (size < offsetBytes) offsetBytes = size;
      for await (const { bytes, endBytes, torn } of readLines(source, name, offsetBytes, size)) {
        // Still being written, or what a crash left: read again when it is closed.
        if (torn) break;
        const decoded = decodeRow(bytes);
        offsetBytes = endBytes;
        if (decoded.ok) yield decoded.row;
      }
    }
  }

  return {
    next: async function* () {
      try {
        yield* readNew();
      } catch (error) {
        throw unreadable(error);
      }
    },
  };
}
