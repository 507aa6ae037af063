/**
 * Which repositories a request may name: those that lie, by their real paths, inside the folders that the owner lists at
 * `coldseal.service.repositories`. The git folder counts as well as the work tree, or a `.git` file could lead out; and so
 * does every store that objects are borrowed from.
 *
 * One answer for outside, not there and no repository: a refusal must not tell what stands elsewhere on the machine.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, normalize } from 'node:path';
import { isInside } from '../../config/machine-folder.js';
import { ColdsealError } from '../../contract/error.js';
import type { Settings } from '../../contract/settings.js';
import { type LocatedRepository, locateRepository } from '../../git/locate-repository.js';
import { objectPlaces } from '../../git/object-places.js';

const MOST_PATH_BYTES = 4096;

const usage = (what: string): ColdsealError =>
  new ColdsealError('USAGE', `repository ${what}; name the absolute path of a repository inside a listed folder`);

const notAllowed = (): ColdsealError =>
  new ColdsealError(
    'NOT_A_REPOSITORY',
    'that is no repository inside the folders of `coldseal.service.repositories` in the machine file; the owner adds a folder there',
  );

/** The real path of the work tree, or of a bare repository. `USAGE` for a path that cannot be one, `NOT_A_REPOSITORY`. */
export const allowedRepository = async (path: string, { own }: Settings): Promise<string> => {
  if (path.includes('\0')) throw usage('holds a NUL');
  if (!isAbsolute(path)) throw usage('is not absolute');
  if (path.split('/').includes('..')) throw usage('holds ".."');
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) throw usage(`is longer than ${MOST_PATH_BYTES} bytes`);
  const found = await repositoryInside(normalize(path), own.service.repositories);
  if (found === null) throw notAllowed();
  return found;
};

/** The real path of the repository at `path`, or `null` unless all of it lies inside one of the folders. `GIT_UNSAFE`. */
export const repositoryInside = async (path: string, folders: readonly string[]): Promise<string | null> => {
  const roots = await realPaths(folders);
  const isAllowed = (one: string): boolean => roots.some((root) => isInside(one, root));
  const folder = await realpath(path).catch(() => null);
  // Asked before anything at the path is read.
  if (folder === null || !isAllowed(folder)) return null;
  let found: LocatedRepository;
  try {
    found = await locateRepository(folder);
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return null;
    throw error;
  }
  const { workTree, gitFolder, commonFolder, objects } = found;
  const parts = await realPaths([...(workTree === null ? [] : [workTree]), gitFolder, commonFolder, objects]);
  const due = workTree === null ? 3 : 4;
  if (parts.length < due || !parts.every(isAllowed)) return null;
  return (await objectPlaces(objects)).every(isAllowed) ? (workTree ?? gitFolder) : null;
};

/** What is not there is left out. */
const realPaths = async (paths: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    if (real !== null) found.push(real);
  }
  return found;
};
