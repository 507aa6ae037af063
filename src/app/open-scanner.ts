/** The scan threads of this build: the thread's file, the rule tables and the prefilter stand in the built folder. */
import { join } from 'node:path';
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
): Promise<ScanPool> =>
  sharedScanner === undefined ? openThreads(builtFolder, threads, start) : borrowed(sharedScanner);

/** Threads of the caller's own. */
export const openThreads = (builtFolder: string, threads: number, start: Start = 'all'): Promise<ScanPool> =>
  openScanPool({
    workerFile: join(builtFolder, 'scan-worker.cjs'),
    tablesPath: join(builtFolder, 'rules.tables'),
    prefilterPath: join(builtFolder, 'prefilter.wasm'),
    threads,
    startThreads: start === 'all' ? threads : 1,
    queueLimit: QUEUE_LIMIT,
  });

/** The same threads, which this run does not close. */
const borrowed = (scanner: ScanPool): ScanPool => ({ ...scanner, close: () => Promise.resolve() });
