/**
 * From the PATHs of a command line to the files they mean. In a work tree a folder means what git counts there, tracked
 * or untracked and not ignored; a file that is named is meant whatever git says, and so is a folder that git ignores as a
 * whole. Outside a work tree a folder means everything below it.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import type { Repository } from '../../contract/repository.js';
import { type FoundFile, joinPath } from './found-file.js';
import type { SourceEntry } from './scan-source.js';
import { walkFolder } from './walk-folder.js';

export type Found = FoundFile | Extract<SourceEntry, { kind: 'unscanned' }>;

export interface FindFilesRequest {
  readonly repository: Repository | null;
  /** The folder of the run, absolute. */
  readonly folder: string;
  readonly paths: readonly string[];
}

/** A PATH as it stands: its last part is not followed when it is a link. */
interface Target {
  readonly absolute: string;
  /** As it is shown; empty for the root itself. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly isInTree: boolean;
}

const missing = (path: string): ColdsealError =>
  new ColdsealError('INPUT_MISSING', `there is no file or folder ${printable(path)}; name one that is there`);

const isBelow = (path: string): boolean => path !== '..' && !path.startsWith('../') && !isAbsolute(path);

const targetOf = ({ repository, folder }: FindFilesRequest, path: string): Target => {
  const typed = resolve(folder, path);
  try {
    const parent = realpathSync(dirname(typed));
    const absolute = basename(typed) === '' ? parent : join(parent, basename(typed));
    const isFolder = lstatSync(absolute).isDirectory();
    const workTree = repository?.workTree ?? null;
    const inTree = workTree === null ? '..' : relative(workTree, absolute);
    const isInTree = isBelow(inTree);
    return { absolute, isFolder, isInTree, shown: isInTree ? inTree : relative(realpathSync(folder), absolute) };
  } catch {
    throw missing(path);
  }
};

const sortKey = ({ shown, isFolder }: Target): Buffer => Buffer.from(isFolder && shown !== '' ? `${shown}/` : shown);

/** In order, without those that stand inside another. */
const outermost = (targets: readonly Target[]): readonly Target[] => {
  const kept: Target[] = [];
  for (const target of [...targets].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)))) {
    const isInside = kept.some(
      (one) => one.absolute === target.absolute || (one.isFolder && isBelow(relative(one.absolute, target.absolute))),
    );
    if (!isInside) kept.push(target);
  }
  return kept;
};

const isFolderOfTree = (root: Buffer): ((path: Buffer) => boolean) => {
  const known = new Map<string, boolean>();
  /** True when neither the folder nor one above it is a link. */
  const isReal = (folder: Buffer): boolean => {
    if (folder.length === 0) return true;
    const key = folder.toString('latin1');
    const before = known.get(key);
    if (before !== undefined) return before;
    const slash = folder.lastIndexOf('/');
    let real = isReal(folder.subarray(0, Math.max(0, slash)));
    if (real) {
      try {
        real = lstatSync(joinPath(root, folder)).isDirectory();
      } catch {
        real = false;
      }
    }
    known.set(key, real);
    return real;
  };
  return (path) => isReal(path.subarray(0, Math.max(0, path.lastIndexOf('/'))));
};

/** Git's own list. What it lists below a link that took a folder's place is not there any more. */
function* treeFiles(workTree: string, paths: readonly Uint8Array[]): Generator<FoundFile> {
  const root = Buffer.from(workTree);
  const isThere = isFolderOfTree(root);
  for (const listed of paths) {
    const named = Buffer.from(listed.buffer, listed.byteOffset, listed.byteLength);
    const path = named.at(-1) === 0x2f ? named.subarray(0, -1) : named;
    if (isThere(path)) yield { path, file: joinPath(root, path) };
  }
}

/** `INPUT_MISSING` for a PATH that is not there. Bytewise order of the names as they are shown. */
export const findFiles = async (request: FindFilesRequest): Promise<Iterable<Found>> => {
  const { repository, folder } = request;
  const whole = repository?.workTree ?? folder;
  const targets = outermost(
    (request.paths.length === 0 ? [whole] : request.paths).map((path) => targetOf(request, path)),
  );
  const parts: Iterable<Found>[] = [];
  for (const { absolute, shown, isFolder, isInTree } of targets) {
    const file = Buffer.from(absolute);
    const path = Buffer.from(shown);
    if (!isFolder) {
      parts.push([{ path, file }]);
      continue;
    }
    const listed = isInTree && repository !== null ? await repository.listWorkTree(shown === '' ? [] : [shown]) : [];
    const isWalked = listed.length === 0 && (!isInTree || shown !== '');
    parts.push(isWalked ? walkFolder(file, path) : treeFiles(repository?.workTree ?? folder, listed));
  }
  return concatenate(parts);
};

function* concatenate<T>(parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}
