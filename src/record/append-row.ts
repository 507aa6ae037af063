/**
 * One row into the latest month file, by whoever holds the lock: one write and one fsync, then the last hash. What could
 * not be finished is undone, so a row is either counted by everybody or by nobody.
 */
import { constants } from 'node:fs';
import type { RecordRow, RowBody } from '../contract/record.js';
import { findChainTail } from './chain-tail.js';
import { EMPTY_CHAIN, LastHashFile } from './last-hash.js';
import type { OpenFile } from './record-files.js';
import { inFolder, listMonthFiles, monthFile, openOwned, syncFolder } from './record-folder.js';
import { newRecordId } from './record-id.js';
import { type EncodedRow, encodeRow, LARGEST_ROW_BYTES } from './row-line.js';
import type { LineSource } from './row-stream.js';
import { refuseStore } from './unwritable.js';

export interface AppendSettings {
  /** Milliseconds since 1970, as the row's time says it. */
  readonly clock: () => number;
  /** That many random bytes. */
  readonly random: (bytes: number) => Uint8Array;
}

export interface AppendedRow {
  readonly row: RecordRow;
  /** Name of the file it stands in. */
  readonly month: string;
}

/** The caller holds the lock. */
export async function appendRow(
  source: LineSource,
  settings: AppendSettings,
  id: string,
  body: RowBody,
): Promise<AppendedRow> {
  const nowMs = settings.clock();
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
      rows.push(encodeRow(torn, newRecordId(settings.random), time, tail.prev));
    }
    const wanted = encodeRow(body, id, time, rows.at(-1)?.row.hash ?? tail.prev);
    rows.push(wanted);
    const bytes = Buffer.concat([...(isTorn ? [Buffer.from('\n')] : []), ...rows.map(({ line }) => line)]);
    if (wanted.line.length > LARGEST_ROW_BYTES) throw tooLarge(wanted.line.length);
    await writeDurably(source, target, !months.includes(target), bytes, lastHash, wanted.row.hash);
    return { row: wanted.row, month: target };
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
