/**
 * A number of places for work, which may grow, first come, first served, with a bounded line. piscina has a queue of its
 * own, but what waits there cannot be told from what runs, and closing has to drop the one and leave the other to end.
 */
import { setMaxListeners } from 'node:events';

export interface Slots {
  /**
   * Runs `work` when a place is free. An abort while it waits takes it out of the line.
   * @throws the signal's reason, what `overflow` makes when the line is full, what `close` was given when the line was dropped
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Work that runs. */
  busy(): number;
  /** Work in line. */
  waiting(): number;
  /** Lets in from the line as many as there are free places, after their number has grown. */
  letIn(): void;
  /** Drops the line, lets nobody in any more, and resolves when what runs has ended. */
  close(reason: () => Error): Promise<void>;
}

interface Waiter {
  readonly enter: () => void;
  readonly drop: (reason: Error) => void;
}

export const openSlots = (places: () => number, lineLimit: number, overflow: () => Error): Slots => {
  const line: Waiter[] = [];
  const whenIdle: (() => void)[] = [];
  let busy = 0;
  let closedBy: (() => Error) | null = null;

  const enter = (signal: AbortSignal | undefined): Promise<void> => {
    if (closedBy !== null) return Promise.reject(closedBy());
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (busy < places()) {
      busy += 1;
      return Promise.resolve();
    }
    if (line.length >= lineLimit) return Promise.reject(overflow());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', leaveLine);
          resolve();
        },
        drop: (reason) => {
          signal?.removeEventListener('abort', leaveLine);
          reject(reason);
        },
      };
      const leaveLine = (): void => {
        line.splice(line.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener('abort', leaveLine, { once: true });
      line.push(waiter);
    });
  };

  /** Hands the place to the next in line, else frees it. */
  const leave = (): void => {
    const next = line.shift();
    if (next !== undefined) {
      next.enter();
      return;
    }
    busy -= 1;
    if (busy === 0) for (const tell of whenIdle.splice(0)) tell();
  };

  return {
    run: async (work, signal) => {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    busy: () => busy,
    waiting: () => line.length,
    letIn: () => {
      while (busy < places()) {
        const next = line.shift();
        if (next === undefined) return;
        busy += 1;
        next.enter();
      }
    },
    close: async (reason) => {
      closedBy ??= reason;
      for (const waiter of line.splice(0)) waiter.drop(reason());
      if (busy > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
};
