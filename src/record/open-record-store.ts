/**
 * The record store's writing side. One row is one write and one fsync under the lock; what could not be finished is
 * undone, so a row is either counted by everybody or by nobody. A clock that jumps back does not open an older month:
 * rows go to the latest file, the order of the chain is the order of the files.
 */
import { constants } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordRow, RecordStore, RowBody } from '../contract/record.js';
import { findChainTail } from './chain-tail.js';
import { EMPTY_CHAIN, LastHashFile } from './last-hash.js';
import { markOfSelf, type ProcessMark, type ProcessTable, SYSTEM_TABLE } from './process-mark.js';
import { type OpenFile, REAL_RECORD_FILES, type RecordFiles } from './record-files.js';
import { inFolder, listMonthFiles, monthFile, openOwned, secureFolder, syncFolder } from './record-folder.js';
import { newRecordId } from './record-id.js';
import { type EncodedRow, encodeRow, LARGEST_ROW_BYTES } from './row-line.js';
import type { LineSource } from './row-stream.js';
import { type LockSettings, withStoreLock } from './store-lock.js';
import { refuseStore, unwritable } from './unwritable.js';

export interface RecordStoreOptions {
  /** Absolute. Made with mode 0700 at the first row; opening a store writes nothing. */
  readonly folder: string;
  /** Milliseconds since 1970, as the row's time says it. */
  readonly clock: () => number;
  /** That many random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** How long an append waits for other processes. Default 30,000. */
  readonly lockTimeoutMs?: number;
  /** Told after each row how long it took, waiting included. */
  readonly onWritten?: (durationMs: number) => void;
  /** Seams for faults that no test can bring about for real. */
  readonly files?: RecordFiles;
  readonly processes?: ProcessTable;
  readonly ownUid?: number;
}

const LOCK_TIMEOUT_MS = 30_000;

/** Rows of one store object are written in the order of the calls, and between processes in the order of the lock. */
export function openRecordStore(options: RecordStoreOptions): RecordStore {
  const source: LineSource = {
    files: options.files ?? REAL_RECORD_FILES,
    folder: options.folder,
    ownUid: options.ownUid ?? process.geteuid?.() ?? 0,
  };
  const processes = options.processes ?? SYSTEM_TABLE;
  const token = newRecordId(options.random).slice('rec-'.length);
  let self: Promise<ProcessMark> | null = null;
  let earlier: Promise<unknown> = Promise.resolve();

  async function write(id: string, body: RowBody): Promise<RecordRow> {
    const startedMs = performance.now();
    try {
      await secureFolder(source.files, source.folder, source.ownUid);
      self ??= markOfSelf(processes);
      const lock = lockSettings(source, await self, token, processes, options);
      const row = await withStoreLock(lock, () => appendRow(source, options, id, body));
      options.onWritten?.(performance.now() - startedMs);
      return row;
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
  };
}

export function lockSettings(
  source: LineSource,
  self: ProcessMark,
  token: string,
  processes: ProcessTable,
  options: { readonly lockTimeoutMs?: number },
): LockSettings {
  return {
    files: source.files,
    folder: source.folder,
    self,
    token,
    processes,
    timeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    monotonicMs: () => performance.now(),
    pause: (ms) => pause(ms),
    chance: Math.random,
  };
}

/** Holds the lock. */
async function appendRow(
  source: LineSource,
  options: RecordStoreOptions,
  id: string,
  body: RowBody,
): Promise<RecordRow> {
  const nowMs = options.clock();
  const months = await listMonthFiles(source.files, source.folder);
  const lastHash = await LastHashFile.open(source);
  try {
    const tail = await findChainTail(source, months, lastHash.before);
    // Before the very first row, so that a crash between it and its last hash is like any other.
    if (lastHash.before === null && !tail.lastHashLost) await lastHash.write(EMPTY_CHAIN);
    const latest = months.at(-1);
    const isTorn = tail.tornBytes > 0;
    // A torn line is closed in its own file; the month changes at the row after that.
    const target = latest !== undefined && (isTorn || latest > monthFile(nowMs)) ? latest : monthFile(nowMs);
    const time = new Date(nowMs).toISOString();
    const rows: EncodedRow[] = [];
    if ((isTorn && !tail.tornIsRow) || tail.lastHashLost) {
      const torn: RowBody = { event: 'repair', torn_bytes: tail.tornIsRow ? 0 : tail.tornBytes };
      rows.push(encodeRow(torn, newRecordId(options.random), time, tail.prev));
    }
    const wanted = encodeRow(body, id, time, rows.at(-1)?.row.hash ?? tail.prev);
    rows.push(wanted);
    const bytes = Buffer.concat([...(isTorn ? [Buffer.from('\n')] : []), ...rows.map(({ line }) => line)]);
    if (wanted.line.length > LARGEST_ROW_BYTES) throw tooLarge(wanted.line.length);
    await writeDurably(source, target, !months.includes(target), bytes, lastHash, wanted.row.hash);
    return wanted.row;
  } finally {
    await lastHash.close();
  }
}

async function writeDurably(
  source: LineSource,
  target: string,
  isNew: boolean,
  bytes: Uint8Array,
  lastHash: LastHashFile,
  hash: string,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | (isNew ? constants.O_CREAT | constants.O_EXCL : 0);
  const { file, facts } = await openOwned(source.files, inFolder(source.folder, target), flags, source.ownUid);
  try {
    if (isNew) await syncFolder(source.files, source.folder);
    try {
      const { bytesWritten } = await file.write(bytes, 0, bytes.length, null);
      if (bytesWritten !== bytes.length) throw shortWrite(bytesWritten, bytes.length);
      await file.sync();
      await lastHash.write({ hash, file: target, bytes: facts.size + bytes.length });
    } catch (error) {
      await undo(file, facts.size, lastHash);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** Back to what stood there before. Where the disk refuses even that, the rest is a torn line or an unfinished run. */
async function undo(file: OpenFile, sizeBytes: number, lastHash: LastHashFile): Promise<void> {
  try {
    await lastHash.restore();
  } catch {
    // The first error is the one to report.
  }
  try {
    await file.truncate(sizeBytes);
    await file.sync();
  } catch {
    // As above.
  }
}

const shortWrite = (done: number, due: number) =>
  refuseStore(`only ${done} of ${due} bytes were written`, 'The disk is probably full: make room.');

const tooLarge = (bytes: number) =>
  refuseStore(
    `its row would have ${bytes} bytes, over the limit of ${LARGEST_ROW_BYTES} bytes`,
    'Narrow the list or withhold some items; the row grows with items and blanked spans.',
  );
