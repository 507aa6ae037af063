/** The scan threads of this build: the thread's file, the rule tables and the prefilter stand in the built folder. */
import { join } from 'node:path';
import { type BegunThreads, beginScanThreads, type ThreadFiles } from '../pool/begun-threads.js';
import { openScanPool, type ScanPool } from '../pool/scan-pool.js';
import type { Surroundings } from './surroundings.js';

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

/** Starts the first thread before it is needed; nothing where the threads are there already. The caller drops it. */
export const beginScanner = ({ builtFolder, sharedScanner }: Surroundings): BegunThreads | null =>
  sharedScanner === undefined ? beginScanThreads(threadFiles(builtFolder)) : null;

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

const threadFiles = (builtFolder: string): ThreadFiles => ({
  workerFile: join(builtFolder, 'scan-worker.cjs'),
  tablesPath: join(builtFolder, 'rules.tables'),
  prefilterPath: join(builtFolder, 'prefilter.wasm'),
});

/** The same threads, which this run does not close. */
const borrowed = (scanner: ScanPool): ScanPool => ({ ...scanner, close: () => Promise.resolve() });
