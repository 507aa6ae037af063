/**
 * Room for lines that are longer than a batch, over all streams of a program together: many clients may each be in the
 * middle of one, and what a stream holds must not be multiplied by how many there are. Whoever has no room stops reading;
 * whoever has it and does not get on is ended, so that nobody waits for good.
 */
import { createByteGate } from './byte-gate.js';

/** Rejects with the signal's reason. `onStalled` is called when the room was held for too long. */
export type EnterLongLine = (signal: AbortSignal, onStalled: () => void) => Promise<() => void>;

/** For a program with one stream. */
export const OPEN_ROOM: EnterLongLine = () => Promise.resolve(() => undefined);

/** @param most lines at once @param longestMs from the line's beginning until its answer was taken */
export const createLongLineRoom = (most: number, longestMs: number): EnterLongLine => {
  const gate = createByteGate(Number.POSITIVE_INFINITY, most);
  return async (signal, onStalled) => {
    const entering = gate.enter(0);
    await orAborted(entering, signal).catch((reason: unknown) => {
      // Its turn still comes, and is given on.
      void entering.then((leave) => leave());
      throw reason;
    });
    const leave = await entering;
    const timer = setTimeout(onStalled, longestMs);
    return () => {
      clearTimeout(timer);
      leave();
    };
  };
};

const orAborted = async (work: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    signal.throwIfAborted();
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
