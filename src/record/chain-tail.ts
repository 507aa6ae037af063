/**
 * Where the next row goes and which hash it names as the one before it. The last-hash file is believed over the month
 * files: behind a cut tail the chain goes on from the row that is missing, so `verify` shows the cut for ever, and an
 * append never has to refuse because of what somebody did to older rows. What a crash leaves is told from that by its
 * place: it stands behind the last row that the last-hash file knows.
 */
import type { ChainEnd } from './last-hash.js';
import { inFolder } from './record-folder.js';
import { decodeRow, GENESIS } from './row-line.js';
import { type LineSource, readLines, type StoredLine } from './row-stream.js';

export interface ChainTail {
  /** Hash of the last row. */
  readonly prev: string;
  /** Bytes of a torn last line of the latest month file; 0 when it ends with a newline. */
  readonly tornBytes: number;
  /** The torn line is a whole row that only lacks its newline: it counts. */
  readonly tornIsRow: boolean;
  /** There are rows and the file that keeps the last hash is missing or damaged. */
  readonly lastHashLost: boolean;
}

/** @param months month files in chain order. */
export async function findChainTail(
  source: LineSource,
  months: readonly string[],
  known: ChainEnd | null,
): Promise<ChainTail> {
  const latest = months.at(-1);
  const whole = { tornBytes: 0, tornIsRow: false, lastHashLost: false };
  if (latest === undefined) return { ...whole, prev: known?.hash ?? GENESIS };
  if (known === null) return readWithoutLastHash(source, months);
  if (known.file === latest && (await sizeOf(source, latest)) === known.bytes) return { ...whole, prev: known.hash };
  return readBehind(source, months, known);
}

/** Rows behind the last known one: a crash fell between a row and the last hash, or tore the row itself. */
async function readBehind(source: LineSource, months: readonly string[], known: ChainEnd): Promise<ChainTail> {
  const later = months.filter((month) => known.file === null || month >= known.file);
  let prev = known.hash;
  let torn: StoredLine | null = null;
  let tornIsRow = false;
  for (const month of later.length > 0 ? later : months.slice(-1)) {
    const isCut = month === known.file && (await sizeOf(source, month)) < known.bytes;
    for await (const line of readLines(source, month, month === known.file && !isCut ? known.bytes : 0)) {
      torn = line.torn && month === months.at(-1) ? line : null;
      const decoded = decodeRow(line.bytes);
      const follows = decoded.ok && decoded.row.prev === prev;
      if (decoded.ok && follows) prev = decoded.row.hash;
      tornIsRow = torn !== null && follows;
    }
  }
  return { prev, tornBytes: torn?.bytes.length ?? 0, tornIsRow, lastHashLost: false };
}

async function readWithoutLastHash(source: LineSource, months: readonly string[]): Promise<ChainTail> {
  let tornBytes = 0;
  for (const month of months.toReversed()) {
    let prev: string | null = null;
    let tornIsRow = false;
    for await (const line of readLines(source, month)) {
      const decoded = decodeRow(line.bytes);
      if (decoded.ok) prev = decoded.row.hash;
      if (line.torn && month === months.at(-1)) {
        tornBytes = line.bytes.length;
        tornIsRow = decoded.ok;
      }
    }
    if (prev !== null) return { prev, tornBytes, tornIsRow, lastHashLost: true };
  }
  return { prev: GENESIS, tornBytes, tornIsRow: false, lastHashLost: false };
}

async function sizeOf(source: LineSource, month: string): Promise<number> {
  return (await source.files.lstat(inFolder(source.folder, month))).size;
}
