/**
 * The record store's writing side: rows of one store in the order of the calls, rows of many processes in the order of
 * the lock. A clock that jumps back does not open an older month: rows go to the latest file, the order of the chain is
 * the order of the files.
 */
import type { RecordRow, RecordStore, RowBody } from '../contract/record.js';
import { type AppendSettings, appendRow } from './append-row.js';
import { markOfSelf, type ProcessMark, type ProcessTable, SYSTEM_TABLE } from './process-mark.js';
import { REAL_RECORD_FILES, type RecordFiles } from './record-files.js';
import { inFolder, secureFolder } from './record-folder.js';
import type { LineSource } from './row-stream.js';
import { lockSettings, lockToken, withStoreLock } from './store-lock.js';
import { unwritable } from './unwritable.js';

export interface RecordStoreOptions extends AppendSettings {
  /** Absolute. Made with mode 0700 at the first row; opening a store writes nothing. */
  readonly folder: string;
  /** How long an append waits for other processes. Default 30,000. */
  readonly lockTimeoutMs?: number;
  /** Told after each row how long it took, waiting included. */
  readonly onWritten?: (durationMs: number) => void;
  /** Seams for faults that no test can bring about for real. */
  readonly files?: RecordFiles;
  readonly processes?: ProcessTable;
  readonly ownUid?: number;
}

export interface RecordFolderStore extends RecordStore {
  /** The file that this store's newest row went to, `null` before the first. Not always the month of the row's time. */
  readonly path: () => string | null;
}

const LOCK_TIMEOUT_MS = 30_000;

export function openRecordStore(options: RecordStoreOptions): RecordFolderStore {
  const source: LineSource = {
    files: options.files ?? REAL_RECORD_FILES,
    folder: options.folder,
    ownUid: options.ownUid ?? process.geteuid?.() ?? 0,
  };
  const processes = options.processes ?? SYSTEM_TABLE;
  const token = lockToken();
  let self: Promise<ProcessMark> | null = null;
  let path: string | null = null;
  let earlier: Promise<unknown> = Promise.resolve();

  async function write(id: string, body: RowBody): Promise<RecordRow> {
    const startedMs = performance.now();
    try {
      await secureFolder(source.files, source.folder, source.ownUid);
      self ??= markOfSelf(processes);
      const lock = lockSettings(source, await self, token, processes, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
      const written = await withStoreLock(lock, () => appendRow(source, options, id, body));
      path = inFolder(source.folder, written.month);
      options.onWritten?.(performance.now() - startedMs);
      return written.row;
    } catch (error) {
      throw unwritable(error);
    }
  }

  return {
    append(id, body) {
      const turn = earlier.then(() => write(id, body));
      earlier = turn.catch(() => undefined);
      return turn;
    },
    path: () => path,
  };
}
