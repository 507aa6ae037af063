/**
 * Which included files are not in the work tree as HEAD has them. The files are compared here and not by `git status`,
 * because git would run the clean filters that the checkout's own settings name. Two differences that such filters make on
 * every checkout count as none: line ends of two bytes, and the content that a large-file pointer stands for.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import type { ObjectFormat, Repository, TreeEntry } from '../contract/repository.js';

const SYMLINK = '120000';
const LARGEST_POINTER_BYTES = 1024;
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*?oid sha256:([0-9a-f]{64})\n/;
const CHUNK_BYTES = 256 * 1024;

/** Of `files`, which HEAD's tree holds, those that differ in the work tree. Submodules are not looked into. */
export const findDirty = async (
  repository: Pick<Repository, 'objectFormat' | 'blobSizes' | 'readBlob'>,
  workTree: string,
  files: readonly TreeEntry[],
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const blobs = files.filter(({ type }) => type === 'blob');
  const sizes = await repository.blobSizes(blobs.map(({ objectId }) => objectId));
  const dirty: TreeEntry[] = [];
  for (const [index, entry] of blobs.entries()) {
    signal.throwIfAborted();
    const isClean = await isAsCommitted(repository, workTree, entry, sizes[index] ?? 0);
    if (!isClean) dirty.push(entry);
  }
  return dirty;
};

const isAsCommitted = async (
  repository: Pick<Repository, 'objectFormat' | 'readBlob'>,
  workTree: string,
  { path, mode, objectId }: TreeEntry,
  committedBytes: number,
): Promise<boolean> => {
  const { objectFormat: format } = repository;
  const place = Buffer.concat([Buffer.from(`${workTree}/`), path]);
  const stats = await lstat(place).catch(() => null);
  if (stats === null) return false;
  if (mode === SYMLINK) {
    if (!stats.isSymbolicLink()) return false;
    return blobHash(format, [await readlink(place, 'buffer')]) === objectId;
  }
  if (!stats.isFile()) return false;
  const present = await hashFile(place, format);
  if (present === null) return false;
  if (present.asIs === objectId || present.withoutReturns === objectId) return true;
  if (committedBytes > LARGEST_POINTER_BYTES) return false;
  const pointer = POINTER.exec(
    Buffer.from(await repository.readBlob(objectId, LARGEST_POINTER_BYTES)).toString('latin1'),
  );
  return pointer !== null && pointer[1] === present.sha256;
};

const blobHash = (format: ObjectFormat, parts: readonly Uint8Array[]): string => {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const hash = createHash(format).update(`blob ${bytes}\0`);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

interface PresentFile {
  /** The object name the file would have. */
  readonly asIs: string;
  /** The same with each CRLF as LF. */
  readonly withoutReturns: string;
  readonly sha256: string;
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** `null` for a file that cannot be read or changes while it is. */
const hashFile = async (place: Buffer, format: ObjectFormat): Promise<PresentFile | null> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place, flags).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return null;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const walk = async (take: (chunk: Buffer) => void): Promise<number> => {
      let at = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return at;
        take(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
    };
    const asIs = createHash(format).update(`blob ${stats.size}\0`);
    const content = createHash('sha256');
    const returns = createReturnCount();
    const read = await walk((chunk) => {
      asIs.update(chunk);
      content.update(chunk);
      returns.take(chunk);
    });
    if (read !== stats.size) return null;
    const present = { asIs: asIs.digest('hex'), sha256: content.digest('hex') };
    if (returns.count() === 0) return { ...present, withoutReturns: present.asIs };
    const shorter = createHash(format).update(`blob ${stats.size - returns.count()}\0`);
    const drop = createReturnDrop((part) => shorter.update(part));
    await walk(drop.take);
    drop.end();
    return { ...present, withoutReturns: shorter.digest('hex') };
  } finally {
    await file.close();
  }
};

const createReturnCount = () => {
  let count = 0;
  let last = 0;
  return {
    take: (chunk: Uint8Array): void => {
      for (const byte of chunk) {
        if (byte === LINE_FEED && last === CARRIAGE_RETURN) count += 1;
        last = byte;
      }
    },
    count: (): number => count,
  };
};

/** Hands on the bytes without the first half of each CRLF, also where the pair stands in two chunks. */
const createReturnDrop = (put: (part: Uint8Array) => void) => {
  let held = false;
  const RETURN = Buffer.from([CARRIAGE_RETURN]);
  return {
    take: (chunk: Uint8Array): void => {
      const kept = Buffer.allocUnsafe(chunk.length);
      let length = 0;
      if (held && chunk[0] !== LINE_FEED) put(RETURN);
      held = false;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (byte === CARRIAGE_RETURN && at + 1 === chunk.length) held = true;
        else if (byte !== CARRIAGE_RETURN || chunk[at + 1] !== LINE_FEED) {
          kept[length] = byte;
          length += 1;
        }
      }
      put(kept.subarray(0, length));
    },
    end: (): void => {
      if (held) put(RETURN);
    },
  };
};
