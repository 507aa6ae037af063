/**
 * Git refuses a repository of somebody else only while it looks for one; with an explicit git folder it does not. So we
 * check ourselves, before git is asked anything: the git folder, its objects and every store they borrow from belong to
 * the caller or to root.
 */
import { isUtf8 } from 'node:buffer';
import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';
import type { LocatedRepository } from './locate-repository.js';
import { readGitFile } from './read-git-file.js';

/** Git follows borrowed stores this deep. */
const DEEPEST_ALTERNATE = 5;
const MOST_ALTERNATES = 64;
const ALTERNATES_BYTES = 1024 * 1024;
const ROOT = 0;

const refuse = (path: string, why: string): never => {
  throw new ColdsealError(
    'GIT_UNSAFE',
    `${printablePath(Buffer.from(path))} ${why}. Clone the repository yourself, or correct the owner.`,
  );
};

const ownerOf = async (path: string): Promise<readonly number[]> => {
  const link = await lstat(path);
  return link.isSymbolicLink() ? [link.uid, (await stat(path)).uid] : [link.uid];
};

const checkPath = async (path: string, uid: number, missingIsFine: boolean): Promise<void> => {
  let owners: readonly number[];
  try {
    owners = await ownerOf(path);
  } catch (cause) {
    if (missingIsFine && (cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    return refuse(path, 'cannot be looked at');
  }
  const other = owners.find((owner) => owner !== uid && owner !== ROOT);
  if (other !== undefined) refuse(path, `belongs to user ${other}, not to user ${uid} or root`);
};

const alternatesOf = async (objects: string): Promise<readonly string[]> => {
  const bytes = await readGitFile(join(objects, 'info', 'alternates'), ALTERNATES_BYTES);
  if (bytes === null) return [];
  // Decoded, such a name would be another folder than git reads.
  if (!isUtf8(bytes)) refuse(join(objects, 'info', 'alternates'), 'names a store outside UTF-8, which is not followed');
  const text = bytes.toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // A quoted line is a name that git unquotes; we would check another folder than git reads.
  const quoted = lines.some((line) => line.startsWith('"'));
  if (quoted) refuse(join(objects, 'info', 'alternates'), 'names a store in quotes, which is not followed');
  // Git counts from where the store really stands, should it be reached over a link.
  const base = lines.every(isAbsolute) ? objects : await realpath(objects);
  return lines.map((line) => (isAbsolute(line) ? line : resolve(base, line)));
};

/**
 * The store and every one it borrows from, each once, before what it names itself is read. `GIT_UNSAFE` for more of them
 * than git follows, and for a name that git would read in another way.
 */
export async function* objectStores(
  objects: string,
  depth = 0,
  seen = new Set<string>(),
): AsyncGenerator<{ readonly objects: string; readonly depth: number }> {
  if (seen.has(objects)) return;
  seen.add(objects);
  if (depth > DEEPEST_ALTERNATE || seen.size > MOST_ALTERNATES) {
    refuse(objects, `borrows objects over more than ${DEEPEST_ALTERNATE} steps or ${MOST_ALTERNATES} stores`);
  }
  yield { objects, depth };
  for (const alternate of await alternatesOf(objects)) yield* objectStores(alternate, depth + 1, seen);
}

const checkStores = async (first: string, uid: number): Promise<void> => {
  for await (const { objects, depth } of objectStores(first)) {
    // A borrowed store that is gone is not unsafe: what it held is missing, and is reported as such.
    await checkPath(objects, uid, depth > 0);
    for (const inside of ['pack', 'info', join('info', 'alternates')]) {
      await checkPath(join(objects, inside), uid, true);
    }
  }
};

/** `GIT_UNSAFE` unless everything that decides what git reads belongs to `uid` or root. */
export const checkOwnership = async (located: LocatedRepository, uid: number): Promise<void> => {
  if (located.linkFile !== null) await checkPath(located.linkFile, uid, false);
  await checkPath(located.gitFolder, uid, false);
  await checkPath(located.commonFolder, uid, false);
  await checkPath(join(located.commonFolder, 'config'), uid, true);
  await checkStores(located.objects, uid);
};
