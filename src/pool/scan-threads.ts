/**
 * The threads themselves: a piscina of one thread each, because a piscina of several starts the next one for every task
 * that finds none free, one that still loads counted as not free. Here a thread is started when the pool says so and given
 * work only when it has said that it is whole.
 */
import { Piscina } from 'piscina';
import type { ReadyReply, ReadyTask, ScanThreadStart, StoppableBatch } from '../contract/scan.js';

/**
 * What a thread's own heap may hold. Without a bound V8 lets the garbage of an item full of escapes grow to hundreds of
 * megabytes before it looks; the young generation fills what it is given whatever the items are: two halves of 4 MiB here,
 * two of 2 MiB cost short scans a twentieth more time. The larger figure is far above what any item was seen to need, and a thread that
 * needs more ends and its input is refused.
 */
const THREAD_HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1024 } as const;

export interface ScanThreads {
  /**
   * Starts one more and resolves with what it says of itself, `null` when it ended while it started. From then on it
   * takes work, whole or not: a thread that is not answers every input as unscanned.
   */
  start(): Promise<ReadyReply | null>;
  /** Threads that take work. */
  started(): number;
  /** Runs a task on a free thread; the caller lets in no more at once than are started. `null` when the thread died. */
  run(task: StoppableBatch | ReadyTask): Promise<unknown>;
  /** Threads that died and were replaced. */
  restarts(): number;
  /** Ends them all, those that still load too. */
  destroy(): Promise<void>;
}

const openOne = (workerFile: string, thread: ScanThreadStart): Piscina =>
  new Piscina({
    filename: workerFile,
    minThreads: 1,
    maxThreads: 1,
    // A task waits here only while a dead thread is replaced, or the thread loads.
    maxQueue: 1,
    workerData: thread,
    // A thread reads the two files named here and nothing from the environment.
    env: {},
    recordTiming: false,
    resourceLimits: THREAD_HEAP,
  });

const runOn = async (piscina: Piscina, task: StoppableBatch | ReadyTask): Promise<unknown> => {
  try {
    return await piscina.run(task);
  } catch {
    // A thread answers every fault of its own with data; a rejection means that the thread is gone.
    return null;
  }
};

export const openScanThreads = (workerFile: string, thread: ScanThreadStart): ScanThreads => {
  const all: Piscina[] = [];
  /** The last one that was used is used first: it holds the profile's scanner already. */
  const idle: Piscina[] = [];
  let started = 0;
  let restarts = 0;
  let isClosed = false;

  const open = (): Piscina => {
    const piscina = openOne(workerFile, thread);
    // An idle thread's death arrives as an event; without a listener it would end the process.
    piscina.on('error', () => undefined);
    piscina.on('workerDestroy', () => {
      if (!isClosed) restarts += 1;
    });
    all.push(piscina);
    return piscina;
  };

  return {
    start: async () => {
      const piscina = open();
      const reply = (await runOn(piscina, { task: 'ready' })) as ReadyReply | null;
      idle.push(piscina);
      started += 1;
      return reply;
    },
    started: () => started,
    run: async (task) => {
      const piscina = idle.pop();
      if (piscina === undefined) throw new Error('more was given to the scan threads than there are');
      try {
        return await runOn(piscina, task);
      } finally {
        idle.push(piscina);
      }
    },
    restarts: () => restarts,
    destroy: async () => {
      isClosed = true;
      for (const piscina of all) await piscina.destroy();
    },
  };
};
