/**
 * The first scan thread of a program whose words alone say that it scans: begun before the verb, its settings and git are
 * loaded, because a thread that reads its tables and tests itself is the longest part of a cold start and needs none of
 * them. Loads nothing but the threads themselves.
 */
import { type BegunThreads, beginScanThreads } from '../pool/begun-threads.js';
import { builtFolder } from './built-folder.js';
import { threadFiles } from './thread-files.js';

export interface ScannerAhead {
  /** What was begun, once; `null` from then on. Whoever has it takes or drops it. */
  hand(): BegunThreads | null;
  /** Ends it where no run has taken it. */
  drop(): Promise<void>;
}

export const beginScannerAhead = (): ScannerAhead => {
  const begun = beginScanThreads(threadFiles(builtFolder()));
  let isHanded = false;
  return {
    hand: () => {
      if (isHanded) return null;
      isHanded = true;
      return begun;
    },
    drop: () => begun.drop(),
  };
};
