/**
 * The store's reading side: every line in chain order, judged, one at a time. Readers take no lock. The store only ever
 * grows, so what a reader sees is a state that was; a line that is still being written lacks its newline and is left out.
 */
import type { RecordRow } from '../contract/record.js';
import { errorCode, REAL_RECORD_FILES, type RecordFiles } from './record-files.js';
import { listMonthFiles } from './record-folder.js';
import { type DecodedRow, decodeRow } from './row-line.js';
import { type LineSource, readLines, type StoredLine } from './row-stream.js';
import { refuseStore, unreadable } from './unwritable.js';

export interface ReadOptions {
  readonly folder: string;
  readonly files?: RecordFiles;
  readonly ownUid?: number;
  /** Told of each line that is no whole row: damage, or what a crash left. */
  readonly onDamaged?: (file: string, line: number) => void;
}

export const readSource = (options: ReadOptions): LineSource => ({
  files: options.files ?? REAL_RECORD_FILES,
  folder: options.folder,
  ownUid: options.ownUid ?? process.geteuid?.() ?? 0,
});

/** A missing folder is an empty store; a link in its place is refused. */
export async function folderExists(source: LineSource): Promise<boolean> {
  try {
    const facts = await source.files.lstat(source.folder);
    if (facts.isDirectory() && facts.uid === source.ownUid) return true;
    throw refuseStore(`${source.folder} is not a real folder of yours`, 'Set `coldseal.records_dir` to one.');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Every whole row, oldest first. Rejects with `RECORD_UNWRITABLE` where the store cannot be read. */
export async function* readRows(options: ReadOptions): AsyncGenerator<RecordRow> {
  for await (const { line, decoded } of judgedLines(options)) {
    if (decoded.ok) yield decoded.row;
    else options.onDamaged?.(line.file, line.line);
  }
}

/** Every finished line with what it decodes to; its bytes are valid until the next one is asked for. */
export async function* judgedLines(
  options: ReadOptions,
): AsyncGenerator<{ readonly line: StoredLine; readonly decoded: DecodedRow }> {
  const source = readSource(options);
  try {
    if (!(await folderExists(source))) return;
    for (const month of await listMonthFiles(source.files, source.folder)) {
      for await (const line of readLines(source, month)) {
        if (!line.torn) yield { line, decoded: decodeRow(line.bytes) };
      }
    }
  } catch (error) {
    throw unreadable(error);
  }
}
