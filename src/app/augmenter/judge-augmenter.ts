/**
 * Whether the owner's external scanner (`coldseal.augmenter.path`) may be started: a regular file of the owner's or
 * root's that nobody else can write, and outside every repository, because a checkout must not choose what is started.
 * One that is not there is a note; one that is not safe refuses.
 */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import { openRunRepository } from '../open-place.js';
import type { Surroundings } from '../surroundings.js';

export type JudgedAugmenter =
  | { readonly kind: 'absent'; readonly note: string }
  /** `identity` tells one build of it from another, for the digest of what decides a finding. */
  | { readonly kind: 'ready'; readonly program: string; readonly identity: string };

const OTHERS_MAY_WRITE = 0o022;
const EVERYBODY_MAY_WRITE = 0o002;
const STICKY = 0o1000;
const ANYBODY_MAY_RUN = 0o111;

/** `CONFIG_UNSAFE`. */
export const judgeAugmenter = async (path: string, surroundings: Surroundings): Promise<JudgedAugmenter> => {
  const program = await realpath(path).catch(() => null);
  if (program === null) {
    return { kind: 'absent', note: `the augmenter ${printable(path)} is not there; scanned without it` };
  }
  const [file, folder] = [await stat(program), await stat(dirname(program))];
  refuseUnsafe(printable(program), file, folder, surroundings.uid);
  await refuseRepository(program, surroundings);
  return { kind: 'ready', program, identity: `${program} ${file.size} ${file.mtimeMs}` };
};

const unsafe = (message: string): ColdsealError =>
  new ColdsealError('CONFIG_UNSAFE', `The augmenter (coldseal.augmenter.path) cannot be used: ${message}`);

const refuseUnsafe = (shown: string, file: Stats, folder: Stats, uid: number): void => {
  if (!file.isFile()) throw unsafe(`${shown} is no regular file.`);
  if (file.uid !== uid && file.uid !== 0) throw unsafe(`${shown} belongs to user ${file.uid}, not to you or root.`);
  if ((file.mode & OTHERS_MAY_WRITE) !== 0) throw unsafe(`${shown} can be written by others; run chmod go-w on it.`);
  if ((file.mode & ANYBODY_MAY_RUN) === 0) throw unsafe(`${shown} is not executable.`);
  if ((folder.mode & EVERYBODY_MAY_WRITE) !== 0 && (folder.mode & STICKY) === 0) {
    throw unsafe(`${shown} stands in a folder that everybody can write to.`);
  }
};

const refuseRepository = async (program: string, surroundings: Surroundings): Promise<void> => {
  try {
    await (await openRunRepository({ ...surroundings, folder: dirname(program) })).close();
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return;
    throw error;
  }
  throw unsafe(`${printable(program)} stands inside a repository; keep it outside every checkout.`);
};
