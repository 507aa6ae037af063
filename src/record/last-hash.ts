/**
 * The file beside the month files that keeps the last row's hash and where that row ends. It makes a cut tail visible,
 * and it spares an append the reading of a last row that may be megabytes long. It is written over in place, one write of
 * one fixed length: no new block is needed, so a full disk cannot part it from the row just written.
 */
import { constants } from 'node:fs';
import { errorCode, type OpenFile } from './record-files.js';
import { inFolder, openOwned, syncFolder } from './record-folder.js';
import { GENESIS } from './row-line.js';
import type { LineSource } from './row-stream.js';

export const LAST_HASH_FILE = 'last-hash';

export interface ChainEnd {
  readonly hash: string;
  /** Month file of the last row, `null` before the first. */
  readonly file: string | null;
  /** Size of that file with the last row in it. */
  readonly bytes: number;
}

export const EMPTY_CHAIN: ChainEnd = { hash: GENESIS, file: null, bytes: 0 };

const LENGTH_BYTES = 256;

/** `null` when there is no such file or it does not read as one of ours. */
export async function readLastHash(source: LineSource): Promise<ChainEnd | null> {
  const opened = await openLastHash(source, constants.O_RDONLY).catch(absent);
  if (opened === null) return null;
  try {
    return decode(await readAll(opened));
  } finally {
    await opened.close();
  }
}

/** Opened for the length of one append, so that a lack of descriptors shows before the row is written. */
export class LastHashFile {
  private readonly file: OpenFile;
  private readonly found: Buffer;
  /** What stood there when it was opened; `null` when it was missing or damaged. */
  readonly before: ChainEnd | null;

  private constructor(file: OpenFile, found: Buffer) {
    this.file = file;
    this.found = found;
    this.before = decode(found);
  }

  /** Makes the file where it is missing. */
  static async open(source: LineSource): Promise<LastHashFile> {
    const existing = await openLastHash(source, constants.O_RDWR).catch(absent);
    if (existing !== null) return LastHashFile.over(existing);
    const made = await openLastHash(source, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
    return LastHashFile.over(made, () => syncFolder(source.files, source.folder));
  }

  async write(end: ChainEnd): Promise<void> {
    await this.overwrite(encode(end));
  }

  /** Puts back the bytes that were found, damaged or not. */
  async restore(): Promise<void> {
    await this.file.truncate(this.found.length);
    await this.overwrite(this.found);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async overwrite(bytes: Buffer): Promise<void> {
    const { bytesWritten } = await this.file.write(bytes, 0, bytes.length, 0);
    if (bytesWritten !== bytes.length) throw new Error(`wrote ${bytesWritten} of ${bytes.length} bytes`);
    await this.file.sync();
  }

  private static async over(file: OpenFile, settle?: () => Promise<void>): Promise<LastHashFile> {
    try {
      await settle?.();
      return new LastHashFile(file, await readAll(file));
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

async function openLastHash(source: LineSource, flags: number): Promise<OpenFile> {
  return (await openOwned(source.files, inFolder(source.folder, LAST_HASH_FILE), flags, source.ownUid)).file;
}

async function readAll(file: OpenFile): Promise<Buffer> {
  const bytes = Buffer.alloc(LENGTH_BYTES + 1);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  return bytes.subarray(0, bytesRead);
}

function decode(found: Buffer): ChainEnd | null {
  let value: unknown;
  try {
    value = JSON.parse(found.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { v, hash, file: name, bytes: size } = value as Record<string, unknown>;
  if (v !== 1 || typeof hash !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(hash)) return null;
  if ((name !== null && typeof name !== 'string') || typeof size !== 'number') return null;
  const end: ChainEnd = { hash, file: name, bytes: size };
  return encode(end).equals(found) ? end : null;
}

const encode = ({ hash, file, bytes }: ChainEnd): Buffer =>
  Buffer.from(`${JSON.stringify({ v: 1, hash, file, bytes }).padEnd(LENGTH_BYTES - 1)}\n`);

function absent(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
