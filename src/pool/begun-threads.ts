/**
 * The first scan thread, started before anybody knows how many there will be: it loads its tables and tests itself while
 * settings are read and git is asked, which is most of a cold start. It is given nothing until a pool has taken it over.
 */
import type { ReadyReply, ScanThreadSettings, StopWord } from '../contract/scan.js';
import { openScanThreads, type ScanThreads } from './scan-threads.js';
import { newStopWord, raise } from './stop-words.js';

/** Absolute paths of what a thread is made of. */
export interface ThreadFiles extends ScanThreadSettings {
  /** The built thread file, `scan-worker.cjs`. */
  readonly workerFile: string;
}

/** What a pool takes over: from then on the pool ends it. */
export interface TakenThreads {
  readonly threads: ScanThreads;
  readonly stop: StopWord;
  /** What the first thread says of itself; `null` when it ended while it started. */
  readonly first: Promise<ReadyReply | null>;
}

export interface BegunThreads {
  /** Once. */
  take(): TakenThreads;
  /** Ends what was begun, unless a pool has taken it. A second call waits for the first. */
  drop(): Promise<void>;
}

export const beginScanThreads = ({ workerFile, tablesPath, prefilterPath }: ThreadFiles): BegunThreads => {
  const stop = newStopWord();
  const threads = openScanThreads(workerFile, { tablesPath, prefilterPath, stop });
  const first = threads.start();
  // A thread that cannot be had is told to the pool that takes it.
  first.catch(() => undefined);
  let isTaken = false;
  let ended: Promise<void> | null = null;
  return {
    take: () => {
      isTaken = true;
      return { threads, stop, first };
    },
    drop: async () => {
      if (isTaken) return;
      raise(stop);
      ended ??= threads.destroy();
      await ended;
    },
  };
};
