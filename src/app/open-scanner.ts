/** The scan threads of this build: of the program that runs many, begun before, or started now. */
import { type BegunThreads, beginScanThreads } from '../pool/begun-threads.js';
import { openScanPool, type ScanPool } from '../pool/scan-pool.js';
import type { Surroundings } from './surroundings.js';
import { threadFiles } from './thread-files.js';

/** Batches that may wait; callers bound their bytes in flight, so this is never reached in a sound run. */
const QUEUE_LIMIT = 4096;

/** How many threads there are at once: a run that may be over in a moment starts one, a host that stays starts all. */
export type Start = 'one-first' | 'all';

/** `SCANNER_DEGRADED` when the threads cannot start or a self-test fails. */
export const openScanner = async (
  { builtFolder, sharedScanner }: Surroundings,
  threads: number,
  start: Start,
  begun: BegunThreads | null = null,
): Promise<ScanPool> =>
  sharedScanner === undefined ? openThreads(builtFolder, threads, start, begun) : borrowed(sharedScanner);

/** The first thread before it is needed, begun here or ahead; nothing where the threads are there already. The caller drops it. */
export const beginScanner = ({ builtFolder, sharedScanner, scannerAhead }: Surroundings): BegunThreads | null =>
  sharedScanner === undefined ? (scannerAhead?.hand() ?? beginScanThreads(threadFiles(builtFolder))) : null;

/** Threads of the caller's own. */
export const openThreads = (
  builtFolder: string,
  threads: number,
  start: Start = 'all',
  begun: BegunThreads | null = null,
): Promise<ScanPool> =>
  openScanPool(
    { ...threadFiles(builtFolder), threads, startThreads: start === 'all' ? threads : 1, queueLimit: QUEUE_LIMIT },
    begun,
  );

/** The same threads, which this run does not close. */
const borrowed = (scanner: ScanPool): ScanPool => ({ ...scanner, close: () => Promise.resolve() });
