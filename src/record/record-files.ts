/**
 * The file system as the record store sees it: a dozen calls, the real ones by default. The port exists for faults that
 * no test can bring about for real (an fsync that fails, a disk that dies between two writes); a full disk, a file size
 * limit and a lack of descriptors are brought about for real.
 *
 * The real ones are synchronous but for long readings and for waiting on the disk: a row takes some twenty of them under
 * the lock, each of some microseconds, and a promise for each would wait for its turn behind whatever the thread pool does.
 */
import * as real from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export interface FileFacts {
  readonly size: number;
  readonly uid: number;
  readonly mode: number;
  readonly nlink: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export interface OpenFile {
  stat(): Promise<FileFacts>;
  chmod(mode: number): Promise<void>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesRead: number }>;
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface RecordFiles {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  lstat(path: string): Promise<FileFacts>;
  /** Makes missing parents too. Says whether the last folder was missing. */
  mkdir(path: string, mode: number): Promise<boolean>;
  chmod(path: string, mode: number): Promise<void>;
  readdir(path: string): Promise<readonly string[]>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  unlink(path: string): Promise<void>;
}

const read = promisify(real.read);
const sync = promisify(real.fsync);

/** Longer ones wait for the disk in the thread pool. */
const SHORT_READ_BYTES = 4096;

const openDescriptor = (descriptor: number): OpenFile => ({
  stat: async () => real.fstatSync(descriptor),
  chmod: async (mode) => real.fchmodSync(descriptor, mode),
  read: async (buffer, offset, length, position) =>
    length > SHORT_READ_BYTES
      ? read(descriptor, buffer, offset, length, position)
      : { bytesRead: real.readSync(descriptor, buffer, offset, length, position) },
  write: async (buffer, offset, length, position) => ({
    bytesWritten: real.writeSync(descriptor, buffer, offset, length, position),
  }),
  truncate: async (length) => real.ftruncateSync(descriptor, length),
  sync: () => sync(descriptor),
  close: async () => real.closeSync(descriptor),
});

export const REAL_RECORD_FILES: RecordFiles = {
  open: async (path, flags, mode) => openDescriptor(real.openSync(path, flags, mode)),
  lstat: async (path) => real.lstatSync(path),
  mkdir: async (path, mode) => makeFolders(path, mode),
  chmod: async (path, mode) => real.chmodSync(path, mode),
  readdir: async (path) => real.readdirSync(path),
  symlink: async (target, path) => real.symlinkSync(target, path),
  readlink: async (path) => real.readlinkSync(path),
  unlink: async (path) => real.unlinkSync(path),
};

/** One by one: Node's own way to make parents answers ENOENT whatever the reason was, a read-only disk for one. */
function makeFolders(path: string, mode: number): boolean {
  try {
    real.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  makeFolders(dirname(path), mode);
  return makeFolders(path, mode);
}

/** The `code` of a system error, e.g. `ENOSPC`, or `null` for anything else. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
