/**
 * Find the git folder of a working directory without asking git: git would read the repository's settings on the way,
 * and the ownership check has to come first.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';
import { readGitFile } from './read-git-file.js';

export interface LocatedRepository {
  /** Folder that holds `.git`, or `null` for a folder that is itself a git folder. */
  readonly workTree: string | null;
  /** The `.git` file of a linked work tree or submodule. */
  readonly linkFile: string | null;
  readonly gitFolder: string;
  /** Where objects, refs and settings are shared from; the git folder itself but for a linked work tree. */
  readonly commonFolder: string;
  readonly objects: string;
}

const LINK_BYTES = 64 * 1024;

type PathType = 'file' | 'folder' | 'none';

/** Through symbolic links: a linked `.git` is git's own layout for some tools; the target's owner is what counts. */
const typeOf = async (path: string): Promise<PathType> => {
  try {
    const status = await stat(path);
    if (status.isDirectory()) return 'folder';
    return status.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
};

/** `null` where there is no such file. `GIT_UNSAFE` for a pipe, a device or a file over the limit. */
const firstLine = async (path: string): Promise<string | null> => {
  const bytes = await readGitFile(path, LINK_BYTES);
  return bytes === null ? null : bytes.toString('utf8').replace(/[\r\n]+$/, '');
};

const commonFolderOf = async (gitFolder: string): Promise<string> => {
  const named = await firstLine(join(gitFolder, 'commondir'));
  if (named === null || named === '') return gitFolder;
  return isAbsolute(named) ? named : resolve(gitFolder, named);
};

/** What git itself asks of a git folder: a HEAD, objects and refs. */
const gitFolderAt = async (folder: string): Promise<{ gitFolder: string; commonFolder: string } | null> => {
  if ((await typeOf(join(folder, 'HEAD'))) !== 'file') return null;
  const gitFolder = await realpath(folder);
  const common = await commonFolderOf(gitFolder);
  if ((await typeOf(join(common, 'objects'))) !== 'folder' || (await typeOf(join(common, 'refs'))) !== 'folder') {
    return null;
  }
  return { gitFolder, commonFolder: await realpath(common) };
};

const linkedFolder = async (linkFile: string): Promise<string | null> => {
  const text = await firstLine(linkFile);
  if (text === null || !text.startsWith('gitdir: ')) return null;
  return resolve(dirname(linkFile), text.slice('gitdir: '.length));
};

const locateAt = async (folder: string): Promise<LocatedRepository | null> => {
  const dotGit = join(folder, '.git');
  const type = await typeOf(dotGit);
  const linkFile = type === 'file' ? dotGit : null;
  const target = type === 'folder' ? dotGit : linkFile === null ? null : await linkedFolder(linkFile);
  const inside = target === null ? null : await gitFolderAt(target);
  if (inside !== null) {
    return { workTree: folder, linkFile, ...inside, objects: join(inside.commonFolder, 'objects') };
  }
  const itself = await gitFolderAt(folder);
  if (itself === null) return null;
  return { workTree: null, linkFile: null, ...itself, objects: join(itself.commonFolder, 'objects') };
};

const notHere = (folder: string): ColdsealError =>
  new ColdsealError(
    'NOT_A_REPOSITORY',
    `No git repository at ${printablePath(Buffer.from(folder))} or above it. Name one with \`-C DIR\`.`,
  );

/** The nearest repository at `folder` or above it. `NOT_A_REPOSITORY` when there is none; `GIT_UNSAFE`. */
export const locateRepository = async (folder: string): Promise<LocatedRepository> => {
  let current: string;
  try {
    current = await realpath(folder);
  } catch {
    throw notHere(folder);
  }
  for (;;) {
    const found = await locateAt(current);
    if (found !== null) return found;
    const parent = dirname(current);
    if (parent === current) throw notHere(folder);
    current = parent;
  }
};
