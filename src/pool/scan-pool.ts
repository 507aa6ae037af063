/**
 * The pool of scan threads behind the `Scanner` port: no more threads than asked for, and no sooner than there is work
 * for them.
 *
 * A thread that dies takes its batch with it. Each input of that batch is then tried once more on its own, so that one
 * bad input is named and its neighbours are not. Piscina is never handed an abort signal: it would kill a running thread
 * and every rule would be compiled again. Threads are told through words of
 * shared memory instead, and end what they do at their next look.
 */
import { ColdsealError } from '../contract/error.js';
import type {
  EchoBatch,
  EchoReply,
  ReadyReply,
  ReadyTask,
  ScanBatch,
  Scanner,
  ScanReply,
  StoppableBatch,
} from '../contract/scan.js';
import { type BegunThreads, beginScanThreads, type ThreadFiles } from './begun-threads.js';
import { isWorthThread } from './grow-when-worth.js';
import { echoTwice, type RunBatch, scanTwice } from './run-twice.js';
import { openSlots } from './slots.js';
import { raise, stopWords } from './stop-words.js';

export interface ScanPoolSettings extends ThreadFiles {
  /** Most threads that run. */
  readonly threads: number;
  /** Threads that are started at once; the others when there is work for them. */
  readonly startThreads: number;
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

const bytesOf = ({ inputs }: ScanBatch | EchoBatch): number => inputs.reduce((sum, { length }) => sum + length, 0);

/** @throws ColdsealError SCANNER_DEGRADED when the thread is not whole */
const digestIn = (ready: ReadyReply | null): string => {
  if (ready?.ok === true) return ready.rulesDigest;
  const fault = ready === null ? 'a scan thread ended while it started' : ready.fault;
  throw new ColdsealError('SCANNER_DEGRADED', `${fault}; nothing can be scanned until it is mended`);
};

/**
 * Starts the first threads, or takes over the one that was begun, and waits until one has passed its self-test; every thread passes its own before its first
 * batch. The others are started when there is work for them.
 *
 * @throws ColdsealError SCANNER_DEGRADED when the threads cannot start or a thread is not whole
 */
export const openScanPool = async (
  settings: ScanPoolSettings,
  begun: BegunThreads | null = null,
): Promise<ScanPool> => {
  const { threads } = settings;
  const { threads: scanThreads, stop, first } = (begun ?? beginScanThreads(settings)).take();
  const slots = openSlots(() => scanThreads.started(), settings.queueLimit, overflow(settings.queueLimit));
  let isClosed = false;
  let closing: Promise<void> | null = null;
  let opened = 1;
  let bytes = 0;
  let busyMs = 0;

  const startOne = (): Promise<ReadyReply | null> => {
    opened += 1;
    return scanThreads.start();
  };
  const startOther = (): void => {
    // One that is not whole answers its batches so, and one that cannot be had leaves the work to those there are.
    void startOne().then(slots.letIn, () => undefined);
  };
  const growIfWorth = (): void => {
    const isBusy = opened === scanThreads.started() && !isClosed;
    if (isBusy && opened < threads && isWorthThread({ threads: opened, waiting: slots.waiting(), bytes, busyMs })) {
      startOther();
    }
  };

  const run = async (task: StoppableBatch | ReadyTask): Promise<unknown> => {
    if (isClosed) throw closed();
    return scanThreads.run(task);
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

  /** Counts a batch from the line to its answer. */
  const counted = async <T extends ScanReply | EchoReply>(
    batch: ScanBatch | EchoBatch,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const length = bytesOf(batch);
    bytes += length;
    try {
      const answer = slots.run(work, signal);
      growIfWorth();
      const reply = await answer;
      busyMs += reply.busyMs;
      return reply;
    } finally {
      bytes -= length;
      growIfWorth();
    }
  };

  let digest: string;
  try {
    while (opened < Math.min(threads, settings.startThreads)) startOther();
    digest = digestIn(await first);
  } catch (error) {
    isClosed = true;
    await scanThreads.destroy();
    throw error;
  }

  return {
    rulesDigest: digest,
    threads,
    scan: (batch, signal) => counted(batch, signal, () => scanTwice(batch, runFor(signal))),
    echo: (batch, signal) => counted(batch, signal, () => echoTwice(batch, runFor(signal))),
    stats: () => ({
      threads,
      threadsBusy: slots.busy(),
      queueDepth: slots.waiting(),
      restarts: scanThreads.restarts(),
    }),
    probe: async () => {
      await slots.run(async () => digestIn((await run({ task: 'ready' })) as ReadyReply | null));
    },
    close: () => {
      raise(stop);
      closing ??= slots.close(closed).then(() => {
        isClosed = true;
        return scanThreads.destroy();
      });
      return closing;
    },
  };
};
