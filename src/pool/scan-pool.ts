/**
 * The pool of scan threads behind the `Scanner` port: piscina with as many threads as asked for, no more, no fewer.
 *
 * A thread that dies takes its batch with it. Each input of that batch is then tried once more on its own, so that one
 * bad input is named and its neighbours are not. Piscina is never handed an abort signal: it would kill a running thread
 * and every rule would be compiled again. Threads are told through words of
 * shared memory instead, and end what they do at their next look.
 */
import { Piscina } from 'piscina';
import { ColdsealError } from '../contract/error.js';
import type {
  ReadyReply,
  ReadyTask,
  Scanner,
  ScanThreadSettings,
  ScanThreadStart,
  StoppableBatch,
} from '../contract/scan.js';
import { echoTwice, type RunBatch, scanTwice } from './run-twice.js';
import { openSlots } from './slots.js';
import { newStopWord, raise, stopWords } from './stop-words.js';

export interface ScanPoolSettings extends ScanThreadSettings {
  /** Absolute path of the built thread file, `scan-worker.cjs`. */
  readonly workerFile: string;
  readonly threads: number;
  /**
   * Batches that may wait beside those that run. Callers bound the bytes they hold, so this is a guard against a caller
   * that does not: one batch more is `BUSY`.
   */
  readonly queueLimit: number;
}

export interface ScanPoolStats {
  readonly threads: number;
  readonly threadsBusy: number;
  /** Batches that wait for a thread. */
  readonly queueDepth: number;
  /** Threads that died and were replaced since the pool was opened. */
  readonly restarts: number;
}

export interface ScanPool extends Scanner {
  stats(): ScanPoolStats;
  /** Asks a thread, in its turn, whether it is whole. `SCANNER_DEGRADED`. */
  probe(): Promise<void>;
}

const closed = (): ColdsealError =>
  new ColdsealError('CANCELLED', 'the scan threads were closed before this batch was scanned');

const overflow = (limit: number) => (): ColdsealError =>
  new ColdsealError('BUSY', `${limit} batches wait for a scan thread already; wait for some of them to end`);

/**
 * What a thread's own heap may hold. Without a bound V8 lets the garbage of an item full of escapes grow to hundreds of
 * megabytes before it looks; the larger figure is far above what any item was seen to need, and a thread that needs more
 * ends and its input is refused.
 */
const THREAD_HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 } as const;

const openThreads = (settings: ScanPoolSettings, stop: SharedArrayBuffer): Piscina => {
  const thread: ScanThreadStart = { tablesPath: settings.tablesPath, prefilterPath: settings.prefilterPath, stop };
  return new Piscina({
    filename: settings.workerFile,
    minThreads: settings.threads,
    maxThreads: settings.threads,
    // The slots let in no more than there are threads; one waits here only while a dead thread is replaced.
    maxQueue: settings.threads,
    workerData: thread,
    // A thread reads the two files named here and nothing from the environment.
    env: {},
    recordTiming: false,
    resourceLimits: THREAD_HEAP,
  });
};

/**
 * Starts the threads and waits until one has passed its self-test; every thread passes its own before its first batch.
 *
 * @throws ColdsealError SCANNER_DEGRADED when the threads cannot start or a thread is not whole
 */
export const openScanPool = async (settings: ScanPoolSettings): Promise<ScanPool> => {
  const { threads } = settings;
  const stop = newStopWord();
  const piscina = openThreads(settings, stop);
  const slots = openSlots(threads, settings.queueLimit, overflow(settings.queueLimit));
  let isClosed = false;
  let restarts = 0;
  let closing: Promise<void> | null = null;
  // An idle thread's death arrives as an event; without a listener it would end the process.
  piscina.on('error', () => undefined);
  piscina.on('workerDestroy', () => {
    if (!isClosed) restarts += 1;
  });

  const run = async (task: StoppableBatch | ReadyTask): Promise<unknown> => {
    if (isClosed) throw closed();
    try {
      return await piscina.run(task);
    } catch {
      // A thread answers every fault of its own with data; a rejection means that the thread is gone.
      return null;
    }
  };
  const words = stopWords();
  const runFor =
    (signal: AbortSignal | undefined): RunBatch =>
    async (batch) => {
      if (signal === undefined) return run({ ...batch, stop: null });
      const lent = words.lend(signal);
      try {
        return await run({ ...batch, stop: lent.word });
      } finally {
        lent.giveBack();
      }
    };

  const rulesDigest = async (): Promise<string> => {
    const ready = (await run({ task: 'ready' } satisfies ReadyTask)) as ReadyReply | null;
    if (ready?.ok === true) return ready.rulesDigest;
    const fault = ready === null ? 'a scan thread ended while it started' : ready.fault;
    throw new ColdsealError('SCANNER_DEGRADED', `${fault}; nothing can be scanned until it is mended`);
  };
  let digest: string;
  try {
    digest = await rulesDigest();
  } catch (error) {
    isClosed = true;
    await piscina.destroy();
    throw error;
  }

  return {
    rulesDigest: digest,
    threads,
    scan: (batch, signal) => slots.run(() => scanTwice(batch, runFor(signal)), signal),
    echo: (batch, signal) => slots.run(() => echoTwice(batch, runFor(signal)), signal),
    stats: () => ({ threads, threadsBusy: slots.busy(), queueDepth: slots.waiting(), restarts }),
    probe: async () => {
      await slots.run(rulesDigest);
    },
    close: () => {
      raise(stop);
      closing ??= slots.close(closed).then(() => {
        isClosed = true;
        return piscina.destroy();
      });
      return closing;
    },
  };
};
