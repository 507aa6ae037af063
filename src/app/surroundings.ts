/**
 * Everything a run takes from outside, gathered once: the environment, folders, clock, randomness, the line to the person
 * and the signal that ends it. Stages get what they need of it as arguments and never reach for a global.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Environment, readEnvironment } from '../config/environment.js';
import { ColdsealError } from '../contract/error.js';
import type { ScanPool } from '../pool/scan-pool.js';
import type { RecordFolderStore } from '../record/open-record-store.js';
import { builtFolder } from './built-folder.js';
import type { ByteGate } from './scan/byte-gate.js';
import type { SharedArena } from './scan/shared-arena.js';
import type { ScannerAhead } from './scanner-ahead.js';

export interface Surroundings {
  readonly environment: Environment;
  /** `HOME` as set, or `undefined`: the machine layer never vanishes silently. */
  readonly homeFolder: string | undefined;
  /** The account's own home, whatever HOME says. */
  readonly accountHome: string;
  readonly accountName: string;
  readonly uid: number;
  readonly cores: number;
  /** The folder the run is about; absolute. */
  readonly folder: string;
  /** The folder with the built files: threads, tables, prefilter. */
  readonly builtFolder: string;
  /** The folder with the shipped data. */
  readonly configFolder: string;
  /** One line to the person (stderr), without its newline. */
  readonly say: (line: string) => void;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly signal: AbortSignal;
  /** The threads of a program that runs many; whoever opened them closes them. A single run opens its own. */
  readonly sharedScanner?: ScanPool;
  /** The first thread of a single run, begun before its words were read. */
  readonly scannerAhead?: ScannerAhead;
  /** The record store of such a program, by folder, so that its rows queue in one place. */
  readonly sharedRecords?: (folder: string) => RecordFolderStore;
  /** Its memory for texts that are scanned. */
  readonly sharedArena?: SharedArena;
  /** Notices that such a program has said; a single run says each that it has. */
  readonly toldNotices?: Set<string>;
  /** What bounds the bytes of all its scans together. */
  readonly sharedGate?: ByteGate;
}

export interface SurroundingsWords {
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly scannerAhead?: ScannerAhead | null;
}

/** Threads and git need it as well, so a folder that is named does not stand in for it. */
const requireCurrentFolder = (): void => {
  try {
    process.cwd();
  } catch (cause) {
    throw new ColdsealError(
      'USAGE',
      'the folder this was started in is not there any more; change into one that is (`cd`) and run it again',
      { cause },
    );
  }
};

/** `USAGE` where the current folder was removed. */
export const gatherSurroundings = (words: SurroundingsWords): Surroundings => {
  requireCurrentFolder();
  const environment = readEnvironment();
  const account = userInfo();
  const built = builtFolder();
  return Object.freeze({
    environment,
    homeFolder: environment['HOME'],
    accountHome: account.homedir,
    accountName: account.username,
    uid: account.uid,
    cores: availableParallelism(),
    folder: resolve(words.folder),
    builtFolder: built,
    configFolder: resolve(built, '..', 'config'),
    say: words.say,
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    random: (bytes: number) => randomBytes(bytes),
    signal: words.signal,
    ...(words.scannerAhead == null ? {} : { scannerAhead: words.scannerAhead }),
  });
};
