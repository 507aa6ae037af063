/**
 * Everything a run takes from outside, gathered once: the environment, folders, clock, randomness, the line to the person
 * and the signal that ends it. Stages get what they need of it as arguments and never reach for a global.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism, userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { ScanPool } from '../pool/scan-pool.js';
import type { RecordFolderStore } from '../record/open-record-store.js';
import type { ByteGate } from './scan/byte-gate.js';
import type { SharedArena } from './scan/shared-arena.js';

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
  /** The record store of such a program, by folder, so that its rows queue in one place. */
  readonly sharedRecords?: (folder: string) => RecordFolderStore;
  /** Its memory for texts that are scanned. */
  readonly sharedArena?: SharedArena;
  /** What bounds the bytes of all its scans together. */
  readonly sharedGate?: ByteGate;
}

export interface SurroundingsWords {
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The built files stand beside the module that was loaded: `dist/` for an installed program. */
const builtFolderOf = (moduleUrl: string): string => {
  const here = dirname(fileURLToPath(moduleUrl));
  return here.endsWith('chunks') ? dirname(here) : here.endsWith('app') ? resolve(here, '..', '..', 'dist') : here;
};

export const gatherSurroundings = (words: SurroundingsWords): Surroundings => {
  const environment = readEnvironment();
  const account = userInfo();
  const builtFolder = builtFolderOf(import.meta.url);
  return Object.freeze({
    environment,
    homeFolder: environment['HOME'],
    accountHome: account.homedir,
    accountName: account.username,
    uid: account.uid,
    cores: availableParallelism(),
    folder: resolve(words.folder),
    builtFolder,
    configFolder: resolve(builtFolder, '..', 'config'),
    say: words.say,
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    random: (bytes: number) => randomBytes(bytes),
    signal: words.signal,
  });
};
