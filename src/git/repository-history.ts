/**
 * Commits and their order, read in the private folder. A shallow clone's boundary is not seen there; so that a range
 * inside the fetched part still has its base, merge bases and counts are given a checked copy of the boundary. Roots are
 * not: what they decide (which of the owner's lists applies) must not hang on a file that cuts history.
 */
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import type { ObjectFormat } from '../contract/repository.js';
import { checkRoot } from './commit-object.js';
import type { GitCalls } from './git-calls.js';
import type { ObjectReader } from './object-reader.js';
import { readGitFile } from './read-git-file.js';

const BOUNDARY_BYTES = 16 * 1024 * 1024;
const COMMIT_BYTES = 1024 * 1024;
const COMMIT_LIST_BYTES = 256 * 1024 * 1024;
const MOST_ROOTS = 1000;
const FULL_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const missing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether the repository says that its history was cut. */
export const isShallowClone = async (commonFolder: string): Promise<boolean> => {
  try {
    return (await lstat(join(commonFolder, 'shallow'))).size > 0;
  } catch (cause) {
    if (missing(cause)) return false;
    throw new ColdsealError('GIT_FAILED', 'The repository’s shallow file cannot be looked at.', { cause });
  }
};

/** Switches that make git see the boundary, or none when history is whole. */
export const boundarySwitches = async (commonFolder: string, privateFolder: string): Promise<readonly string[]> => {
  if (!(await isShallowClone(commonFolder))) return [];
  const bytes = await readGitFile(join(commonFolder, 'shallow'), BOUNDARY_BYTES);
  const names = (bytes?.toString('latin1') ?? '').split('\n').filter((line) => line !== '');
  if (!names.every((name) => FULL_NAME.test(name))) {
    throw new ColdsealError('GIT_FAILED', 'The repository’s shallow file does not hold object names alone.');
  }
  const copy = join(privateFolder, 'boundary');
  await writeFile(copy, `${names.join('\n')}\n`, { mode: 0o600 });
  return ['--shallow-file', copy];
};

export const findMergeBase = async (
  calls: GitCalls,
  before: readonly string[],
  a: string,
  b: string,
): Promise<string | null> => {
  const { status, stdout } = await calls.run('objects', 'merge-base', ['--', a, b], { before, alsoFine: [1] });
  return status === 0 ? stdout.toString('latin1').trim() : null;
};

export const countBetween = async (
  calls: GitCalls,
  before: readonly string[],
  base: string | null,
  head: string,
): Promise<number> => {
  const args = ['--count', head, ...(base === null ? [] : [`^${base}`]), '--'];
  const { stdout } = await calls.run('objects', 'rev-list', args, { before });
  return Number(stdout.toString('latin1'));
};

/** Commits of `head` that `base` does not have, parents first. */
export const listBetween = async (
  calls: GitCalls,
  before: readonly string[],
  base: string | null,
  head: string,
): Promise<readonly string[]> => {
  const args = ['--reverse', '--topo-order', head, ...(base === null ? [] : [`^${base}`]), '--'];
  const { stdout } = await calls.run('objects', 'rev-list', args, { before, outputBytes: COMMIT_LIST_BYTES });
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
};

/** As git lists them. `GIT_FAILED` over a thousand. */
export const listRoots = async (calls: GitCalls, commit: string): Promise<readonly string[]> => {
  const { stdout } = await calls.run('objects', 'rev-list', ['--max-parents=0', commit, '--']);
  const roots = stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
  if (roots.length > MOST_ROOTS) {
    throw new ColdsealError(
      'GIT_FAILED',
      `The history has ${roots.length} root commits; at most ${MOST_ROOTS} are read.`,
    );
  }
  return roots;
};

/** Sorted; each read as bytes and hashed again. */
export const checkRoots = async (
  roots: readonly string[],
  reader: ObjectReader,
  format: ObjectFormat,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  for (const root of roots) checkRoot(format, root, await reader.readWhole(root, 'commit', COMMIT_BYTES, [signal]));
  return [...roots].sort();
};

export const readCommit = (reader: ObjectReader, id: string, signal: AbortSignal): Promise<Buffer> =>
  reader.readWhole(id, 'commit', COMMIT_BYTES, [signal]);
