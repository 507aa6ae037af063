/**
 * The empty bare git folder that objects are read through: no settings, attributes, hooks, grafts, replaced objects,
 * shallow file or promisor of the repository stand in it. Written by hand: one child less a run, and no template folder.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { ObjectFormat } from '../contract/repository.js';

const SETTINGS: Readonly<Record<ObjectFormat, string>> = {
  sha1: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  sha256: '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n',
};

export interface PrivateFolder {
  readonly folder: string;
  /** Makes it a git folder; until then it is only a folder to run children in. */
  setFormat(format: ObjectFormat): Promise<void>;
}

const newFolder = async (temporaryRoot: string): Promise<string> => {
  try {
    return await mkdtemp(join(temporaryRoot, 'coldseal-git-'));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ColdsealError(
      'GIT_FAILED',
      `The folder that git runs in cannot be made under ${printable(temporaryRoot)} (${code}). Set TMPDIR to a folder that is there and that you can write.`,
      { cause },
    );
  }
};

/** A new folder, mode 0700, for the caller to remove. Its HEAD names a branch that does not exist. `GIT_FAILED`. */
export const makePrivateFolder = async (temporaryRoot: string): Promise<PrivateFolder> => {
  const folder = await newFolder(temporaryRoot);
  return {
    folder,
    setFormat: async (format) => {
      await mkdir(join(folder, 'refs'), { mode: 0o700 });
      await mkdir(join(folder, 'objects'), { mode: 0o700 });
      await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
      await writeFile(join(folder, 'config'), SETTINGS[format], { mode: 0o600 });
    },
  };
};
