/**
 * A parked file as bytes. The checkout is not trusted: no folder on the way may be a link, the file must be a regular one
 * of at most 256 MiB, and it is opened without following a link and read by its own handle, so that what was judged is
 * what is read.
 */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { LARGEST_READING_FILE_BYTES } from '../contract/reading.js';

export interface ParkedFile {
  /** From the work tree's root, for messages. */
  readonly shown: string;
  readonly bytes: number;
  /** Chunks from the start, each good until the next one is asked for. Ends at the size that was judged. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;

export const invalid = (message: string, cause?: unknown): ColdsealError =>
  new ColdsealError('READING_INVALID', `${message} Assemble the reading again.`, { cause });

/** `READING_INVALID` for a link, anything that is no regular file, or one over the bound. */
export const openParkedFile = async (
  workTree: string,
  folders: readonly string[],
  name: string,
): Promise<ParkedFile> => {
  let folder = workTree;
  for (const [at, part] of folders.entries()) {
    folder = join(folder, part);
    const shown = folders.slice(0, at + 1).join('/');
    const stats = await lstat(folder).catch(() => null);
    if (stats === null) throw invalid(`${shown} is not there: no such run is parked.`);
    if (!stats.isDirectory()) {
      throw invalid(`${shown} is ${stats.isSymbolicLink() ? 'a symbolic link' : 'no directory'}.`);
    }
  }
  const shown = [...folders, name].join('/');
  const path = join(folder, name);
  const named = await lstat(path).catch(() => null);
  if (named === null) throw invalid(`${shown} is missing.`);
  if (!named.isFile()) throw invalid(`${shown} is ${named.isSymbolicLink() ? 'a symbolic link' : 'no regular file'}.`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((cause) => {
    throw invalid(`${shown} cannot be opened.`, cause);
  });
  try {
    const { size } = await judged(handle, shown);
    return { shown, bytes: size, chunks: () => chunksOf(handle, size, shown), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const judged = async (handle: FileHandle, shown: string): Promise<Stats> => {
  const stats = await handle.stat();
  if (!stats.isFile()) throw invalid(`${shown} is no regular file.`);
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw invalid(`${shown} belongs to somebody else.`);
  if (stats.size > LARGEST_READING_FILE_BYTES) {
    throw invalid(`${shown} has ${stats.size} bytes; at most ${LARGEST_READING_FILE_BYTES} (256 MiB) are read.`);
  }
  return stats;
};

async function* chunksOf(handle: FileHandle, size: number, shown: string): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(size, 1)));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw invalid(`${shown} became shorter while it was read.`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The whole file as bytes, for what stays on this machine. */
export const readParkedFile = async (file: ParkedFile): Promise<Uint8Array> => {
  const whole = new Uint8Array(file.bytes);
  let at = 0;
  for await (const chunk of file.chunks()) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};

/** The same chunks; `digest` gives 64 hex digits over all of them once they were read. */
export const hashed = (
  chunks: AsyncIterable<Uint8Array>,
): { readonly chunks: AsyncIterable<Uint8Array>; readonly digest: () => string } => {
  const hash = createHash('sha256');
  return {
    chunks: (async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    })(),
    digest: () => hash.digest('hex'),
  };
};
