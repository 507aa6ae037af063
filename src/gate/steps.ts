/**
 * Long work in steps: a request of some megabytes is walked byte by byte and value by value, and whoever else the program
 * serves gets a turn in between. A generator that stands still where a turn is due; a short request is never stopped, since
 * a turn of the event loop costs more than it takes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Stands still after about a piece of work. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Counts what was done since the last turn, in bytes walked; shared by everything that walks one request. */
export interface Pace {
  spend(bytes: number): void;
  /** True once for each piece of work. */
  isDue(): boolean;
}

/** Some milliseconds of the slowest walk, over a string of nothing but escapes. */
export const PIECE_BYTES = 512 * 1024;
/** What is shorter is walked at once. */
export const SHORT_BYTES = 16 * 1024;
/** A value or a name takes about as long as so many bytes. */
export const VALUE_COST_BYTES = 512;

export const createPace = (): Pace => {
  let spent = 0;
  return {
    spend: (bytes) => {
      spent += bytes;
    },
    isDue: () => {
      if (spent < PIECE_BYTES) return false;
      spent = 0;
      return true;
    },
  };
};

/** Without a turn in between. */
export const inOneGo = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** The signal's reason where it aborts in between. */
export const inTurns = async <T>(steps: Steps<T>, signal: AbortSignal): Promise<T> => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
    signal.throwIfAborted();
  }
};
