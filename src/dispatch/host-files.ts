/**
 * The only writer into a checkout: request, answer and parked files below `.abcd/.work.local/` (product.md section 10).
 *
 * The checkout is not trusted. Each folder on the way must be a real directory of the caller; nothing below
 * `.abcd/.work.local` may be tracked (`.abcd` itself holds tracked files, so only its being real is asked). A file is
 * made under a name of its own, exclusively and following no link, and renamed; the folder is looked at again before the
 * rename, by device and inode, so a folder that was exchanged meanwhile is found.
 */
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readFile, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { faultCode } from './call-failure.js';

export interface HostFolder {
  /** Root of the work tree, absolute; `null` for a bare repository, into which nothing is written. */
  readonly workTree: string | null;
  /** Folders below `.abcd/.work.local`, e.g. `['reviews']`. */
  readonly folders: readonly string[];
  /** True when git tracks the path, given from the root with `/`, or something below it. */
  readonly isTracked: (path: string) => Promise<boolean>;
  /** A few random letters for the file's first name. */
  readonly randomName: () => string;
}

const STATE_FOLDERS = ['.abcd', '.work.local'] as const;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const FOLDER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const IGNORE_ALL = '*\n';

/** Bytes, or pieces of a file that is too large to be held; each piece is good until the next is asked for. */
export type HostContent = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Writes the file whole or not at all, mode 0600, over an older one of the same name. Returns its path from the root,
 * with `/`. The bytes are only read; what making them throws is thrown on, and no file is left.
 */
export const writeHostFile = async (host: HostFolder, name: string, content: HostContent): Promise<string> => {
  const place = await preparedFolder(host);
  const target = join(place.folder, checkedName(name));
  await requireReplaceable(target, place.shown);
  const first = join(place.folder, `.${name}.${host.randomName()}.part`);
  await unsafeUnless(place.shown, async () => {
    await writeNew(first, content);
    try {
      await requireSame(place);
      await rename(first, target);
    } catch (error) {
      await unlink(first).catch(() => undefined);
      throw error;
    }
  });
  return `${place.shown}/${name}`;
};

/** Removes the last folder of the way when nothing is in it, after a run that left nothing. */
export const removeEmptyFolder = async (host: HostFolder): Promise<void> => {
  const place = await preparedFolder(host);
  await rmdir(place.folder).catch(() => undefined);
};

/** Removes an older file before a run's call, so that what is there afterwards is this run's. Missing is fine. */
export const removeHostFile = async (host: HostFolder, name: string): Promise<void> => {
  const place = await preparedFolder(host);
  const target = join(place.folder, checkedName(name));
  await requireReplaceable(target, place.shown);
  await unsafeUnless(place.shown, async () => {
    await unlink(target).catch((error: unknown) => {
      if (faultCode(error) !== 'ENOENT') {
        throw error;
      }
    });
  });
};

interface Place {
  readonly folder: string;
  /** From the root, with `/`. */
  readonly shown: string;
  readonly device: number;
  readonly inode: number;
}

/** Makes what is missing of the way, checks what is there, and keeps git away with a `.gitignore`. */
const preparedFolder = async (host: HostFolder): Promise<Place> => {
  if (host.workTree === null) {
    throw unsafe('The repository is bare, so there is no work tree to write request files into.');
  }
  const state = STATE_FOLDERS.join('/');
  if (await host.isTracked(state)) {
    throw unsafe(`git tracks ${state} or something in it. Untrack it: git rm -r --cached ${state}`);
  }
  const names = [...STATE_FOLDERS, ...host.folders.map(checkedFolder)];
  let folder = host.workTree;
  let stats: Stats | null = null;
  for (const [at, name] of names.entries()) {
    folder = join(folder, name);
    stats = await realFolder(folder, names.slice(0, at + 1).join('/'));
    if (at === STATE_FOLDERS.length - 1) {
      await ignoreAll(folder, state, host);
    }
  }
  return { folder, shown: names.join('/'), device: stats?.dev ?? 0, inode: stats?.ino ?? 0 };
};

const realFolder = async (folder: string, shown: string): Promise<Stats> => {
  await unsafeUnless(shown, async () => {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (faultCode(error) !== 'EEXIST') {
        throw error;
      }
    });
  });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) {
    throw unsafe(`${shown} is ${stats.isSymbolicLink() ? 'a symbolic link' : 'no directory'}. Remove it.`);
  }
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw unsafe(`${shown} belongs to somebody else. Correct its owner.`);
  }
  return stats;
};

const ignoreAll = async (folder: string, shown: string, host: HostFolder): Promise<void> => {
  const file = join(folder, '.gitignore');
  const stats = await lstat(file).catch(() => null);
  if (stats !== null && !stats.isFile()) {
    throw unsafe(`${shown}/.gitignore is no regular file. Remove it.`);
  }
  if (stats !== null && stats.size <= IGNORE_ALL.length && (await readFile(file, 'utf8')).trim() === '*') {
    return;
  }
  await unsafeUnless(shown, async () => {
    const first = join(folder, `.gitignore.${host.randomName()}.part`);
    await writeNew(first, Buffer.from(IGNORE_ALL));
    await rename(first, file);
  });
};

const writeNew = async (file: string, content: HostContent): Promise<void> => {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  try {
    if (content instanceof Uint8Array) await handle.writeFile(content);
    else for await (const piece of content) await handle.writeFile(piece);
    await handle.sync();
  } catch (error) {
    await unlink(file).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
};

const requireReplaceable = async (target: string, shown: string): Promise<void> => {
  const stats = await lstat(target).catch(() => null);
  if (stats !== null && !stats.isFile()) {
    throw unsafe(`A file to be written in ${shown} is there already and is no regular file. Remove it.`);
  }
};

const requireSame = async (place: Place): Promise<void> => {
  const stats = await lstat(place.folder);
  if (!stats.isDirectory() || stats.ino !== place.inode || stats.dev !== place.device) {
    throw unsafe(`${place.shown} was exchanged while a file was written into it.`);
  }
};

const checkedName = (name: string): string => {
  if (!FILE_NAME.test(name)) {
    throw unsafe(`"${printable(name.slice(0, 64))}" is no name for a file of ours.`);
  }
  return name;
};

const checkedFolder = (name: string): string => {
  if (!FOLDER_NAME.test(name)) {
    throw unsafe(`"${printable(name.slice(0, 64))}" is no name for a folder of ours.`);
  }
  return name;
};

const unsafe = (message: string, cause?: unknown): ColdsealError =>
  new ColdsealError('STATE_UNSAFE', message, { cause });

const unsafeUnless = async (shown: string, act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (error instanceof ColdsealError) {
      throw error;
    }
    throw unsafe(`${shown} cannot be written: ${faultCode(error)}.`, error);
  }
};
