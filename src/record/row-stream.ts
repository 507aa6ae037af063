/**
 * Lines of month files as a stream: one chunk and one line in memory, whatever the size of the store. Also tells where
 * each line stands, so that a message can name it and a writer can go on behind it.
 */
import { constants } from 'node:fs';
import type { OpenFile, RecordFiles } from './record-files.js';
import { inFolder, openOwned } from './record-folder.js';
import { LARGEST_ROW_BYTES, NEWLINE } from './row-line.js';
import { refuseStore } from './unwritable.js';

export interface StoredLine {
  /** Without the newline. Valid until the next line is asked for. */
  readonly bytes: Uint8Array;
  readonly file: string;
  /** 1-based, counted from where the reading began. */
  readonly line: number;
  /** Offset just behind the line's newline, or the end of the file for a torn line. */
  readonly endBytes: number;
  /** The file ends without a newline: a crash while appending. */
  readonly torn: boolean;
}

export interface LineSource {
  readonly files: RecordFiles;
  readonly folder: string;
  readonly ownUid: number;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * @param fromBytes must be the start of a line.
 * @param toBytes reading ends there although the file may have grown by now.
 */
export async function* readLines(
  source: LineSource,
  name: string,
  fromBytes = 0,
  toBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredLine> {
  const path = inFolder(source.folder, name);
  const { file } = await openOwned(source.files, path, constants.O_RDONLY, source.ownUid);
  try {
    yield* splitLines(file, name, fromBytes, toBytes);
  } finally {
    await file.close();
  }
}

async function* splitLines(
  file: OpenFile,
  name: string,
  fromBytes: number,
  toBytes: number,
): AsyncGenerator<StoredLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let partBytes = 0;
  let line = 0;
  let offset = fromBytes;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, toBytes - offset), offset);
    if (bytesRead === 0) break;
    let start = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(NEWLINE, start);
      if (end === -1) break;
      const rest = chunk.subarray(start, end);
      line += 1;
      yield {
        bytes: parts.length === 0 ? rest : Buffer.concat([...parts, rest]),
        file: name,
        line,
        endBytes: offset + end + 1,
        torn: false,
      };
      parts = [];
      partBytes = 0;
      start = end + 1;
    }
    if (start < bytesRead) {
      parts.push(Buffer.from(chunk.subarray(start, bytesRead)));
      partBytes += bytesRead - start;
    }
    if (partBytes > LARGEST_ROW_BYTES) throw tooLong(name, line + 1);
    offset += bytesRead;
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), file: name, line: line + 1, endBytes: offset, torn: true };
}

const tooLong = (name: string, line: number) =>
  refuseStore(
    `${name} line ${line} is longer than ${LARGEST_ROW_BYTES} bytes, which no row can be`,
    'The file is damaged from there on; keep it and move it away.',
  );
