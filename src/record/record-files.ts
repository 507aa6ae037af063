/**
 * The file system as the record store sees it: a dozen calls, the real ones by default. The port exists for faults that
 * no test can bring about for real (an fsync that fails, a disk that dies between two writes); a full disk, a file size
 * limit and a lack of descriptors are brought about for real.
 */
import * as real from 'node:fs/promises';
import { dirname } from 'node:path';

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

export const REAL_RECORD_FILES: RecordFiles = {
  open: (path, flags, mode) => real.open(path, flags, mode),
  lstat: (path) => real.lstat(path),
  mkdir: makeFolders,
  chmod: (path, mode) => real.chmod(path, mode),
  readdir: (path) => real.readdir(path),
  symlink: (target, path) => real.symlink(target, path),
  readlink: (path) => real.readlink(path),
  unlink: (path) => real.unlink(path),
};

/** One by one: Node's own way to make parents answers ENOENT whatever the reason was, a read-only disk for one. */
async function makeFolders(path: string, mode: number): Promise<boolean> {
  try {
    await real.mkdir(path, { mode });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  await makeFolders(dirname(path), mode);
  return makeFolders(path, mode);
}

/** The `code` of a system error, e.g. `ENOSPC`, or `null` for anything else. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
