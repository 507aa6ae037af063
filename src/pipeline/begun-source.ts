/** A source that begins to read before anybody pulls, and a wait for the last of several ends. */

export interface BegunSource<T> {
  /** Everything the source gives, its first value included. Once. */
  rest(): AsyncGenerator<T, void, undefined>;
  /** Ends the source, whether it was pulled or not, and waits for that. */
  leave(): Promise<void>;
}

/** Pulls the first value at once; a fault is told to whoever takes it. */
export const begunAtOnce = <T>(source: AsyncIterable<T>): BegunSource<T> => {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => undefined);
  return {
    rest: async function* () {
      for (let next = await first; next.done !== true; next = await iterator.next()) yield next.value;
    },
    leave: async () => {
      await iterator.return?.();
    },
  };
};

export interface CountDown {
  tick(): void;
  /** Resolves with the last tick; rejects with the signal's reason. */
  reached(signal: AbortSignal): Promise<void>;
}

export const countDown = (ticks: number): CountDown => {
  let left = ticks;
  let wake = (): void => undefined;
  return {
    tick: () => {
      left -= 1;
      if (left === 0) wake();
    },
    reached: async (signal) => {
      signal.throwIfAborted();
      if (left === 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    },
  };
};
