/**
 * The machine folder, `~/.abcd.noindex`: the one place the owner speaks from. It must be a real folder of the caller that
 * no checkout can write to, so it may stand neither inside the work tree that is read nor in any repository's index: a
 * checkout that could bring its own machine file would be its own owner.
 *
 * HOME that is not set is an error rather than "no settings": the owner's layer never vanishes silently.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { Environment } from './environment.js';
import { refuseForeignOwner, refuseForeignWrites } from './read-settings-file.js';

const MACHINE_FOLDER_NAME = '.abcd.noindex';
const SETTINGS_FILE_NAME = 'config.json';

interface HomeFacts {
  readonly environment: Environment;
  /** `HOME` as set. */
  readonly homeFolder: string | undefined;
  /** The account's own home, whatever HOME says. */
  readonly accountHome: string;
  readonly uid: number;
}

export interface MachineFolderFacts extends HomeFacts {
  /** The folder that the repository that is read may fill, bare or not; `null` where there is none. */
  readonly checkout: string | null;
  /** Whether the repository around this absolute path, if there is one, tracks it or something below it. */
  readonly isTracked: (path: string) => Promise<boolean>;
}

export interface MachineFolder {
  readonly folder: string;
  readonly file: string;
  readonly present: boolean;
  /** One line when HOME is not the account's own. */
  readonly notices: readonly string[];
}

/** Finds and judges the machine folder; `CONFIG_UNSAFE` for everything the rules refuse. */
export async function judgeMachineFolder(facts: MachineFolderFacts): Promise<MachineFolder> {
  refuseUnverifiedTls(facts.environment);
  const home = requireHome(facts.homeFolder);
  const folder = join(home, MACHINE_FOLDER_NAME);
  const present = refuseUnsafeFolder(folder, facts.uid);
  refuseInsideCheckout(home, facts.checkout);
  if (present && (await facts.isTracked(folder))) {
    throw unsafe(`The machine folder ${printable(folder)} is tracked by a git repository; untrack it or move HOME.`);
  }
  const file = join(folder, SETTINGS_FILE_NAME);
  return { folder, file, present, notices: homeNotice(home, facts.accountHome, file) };
}

function refuseUnverifiedTls(environment: Environment): void {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw unsafe(
    'NODE_TLS_REJECT_UNAUTHORIZED is 0, which turns certificate checks off; unset it, and name the provider’s `ca_file` instead.',
  );
}

function requireHome(homeFolder: string | undefined): string {
  if (homeFolder === undefined || homeFolder === '') {
    throw unsafe('HOME is not set, so the machine file cannot be found; set HOME to your home folder.');
  }
  if (!isAbsolute(homeFolder)) throw unsafe(`HOME is ${printable(homeFolder)}; it must be an absolute path.`);
  // Node reads what is no UTF-8 as this character, which is the name of another folder, with other settings or none.
  if (homeFolder.includes('\ufffd')) {
    throw unsafe(`HOME is ${printable(homeFolder)}; a path with bytes outside UTF-8 cannot be read here.`);
  }
  return homeFolder;
}

function refuseUnsafeFolder(folder: string, uid: number): boolean {
  const what = `The machine folder ${printable(folder)}`;
  const stats = lookedAt(folder, what);
  if (stats === null) return false;
  if (stats.isSymbolicLink()) throw unsafe(`${what} is a symbolic link; it must be a real folder.`);
  if (!stats.isDirectory()) throw unsafe(`${what} is no folder.`);
  refuseForeignOwner(what, stats, [uid]);
  refuseForeignWrites(what, stats);
  return true;
}

/** `null` where nothing stands. */
function lookedAt(folder: string, what: string): Stats | null {
  try {
    return lstatSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw unsafe(`${what} cannot be looked at.`, error);
  }
}

function refuseInsideCheckout(home: string, checkout: string | null): void {
  if (checkout === null) return;
  const folder = join(settled(home), MACHINE_FOLDER_NAME);
  if (!isInside(folder, settled(checkout))) return;
  throw unsafe(
    `The machine folder ${printable(folder)} stands inside the work tree ${printable(checkout)}; a checkout must not hold its owner’s settings.`,
  );
}

function homeNotice(home: string, accountHome: string, file: string): readonly string[] {
  if (settled(home) === settled(accountHome)) return [];
  return [
    `HOME is ${printable(home)}, not this account’s own ${printable(accountHome)}; the machine file is ${printable(file)}`,
  ];
}

/** Whether an absolute path is the folder or stands below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The real path, or the path itself where nothing stands there. */
function settled(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function unsafe(message: string, cause?: unknown): ColdsealError {
  return new ColdsealError('CONFIG_UNSAFE', message, cause === undefined ? {} : { cause });
}
