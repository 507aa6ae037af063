/**
 * A bounded window of work under way: enough to keep every thread busy, never more bytes than the bound, but for one
 * piece of work that is over it alone.
 *
 * The first failure is the reason that counts: the source and the work are told to stop, what cannot is left to end by
 * itself, and what it says afterwards is not listened to.
 */
import { setMaxListeners } from 'node:events';
import { followSignals } from '../contract/follow-signals.js';

export interface Weighed {
  readonly bytes: number;
}

export interface WindowBounds {
  /** Pieces of work under way at once. */
  readonly most: number;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** Resolves when the source ended and all its work has; rejects with the first failure or the signal's reason. */
export const runWindow = async <W extends Weighed>(
  open: (signal: AbortSignal) => AsyncIterable<W> | Iterable<W>,
  work: (piece: W, signal: AbortSignal) => Promise<void>,
  bounds: WindowBounds,
): Promise<void> => {
  // Ten is where Node warns of a leak; as many windows follow one signal as texts are settled at once, and each leaves.
  setMaxListeners(0, bounds.signal);
  const stop = followSignals([bounds.signal]);
  const { signal } = stop;
  const running = new Set<Promise<void>>();
  let bytes = 0;

  const start = (piece: W): void => {
    bytes += piece.bytes;
    const ending = work(piece, signal)
      .catch((reason: unknown) => stop.abort(reason))
      .finally(() => {
        bytes -= piece.bytes;
        running.delete(ending);
      });
    running.add(ending);
  };
  const isFull = (next: Weighed): boolean =>
    running.size > 0 && (running.size >= bounds.most || bytes + next.bytes > bounds.mostBytes);

  try {
    for await (const piece of open(signal)) {
      while (!signal.aborted && isFull(piece)) await nextEnd(running, signal);
      signal.throwIfAborted();
      start(piece);
    }
    while (!signal.aborted && running.size > 0) await nextEnd(running, signal);
  } catch (error) {
    // A source that was told to stop may fail for that; the reason it was told is the one to give.
    if (!signal.aborted) {
      stop.abort(error);
      throw error;
    }
  } finally {
    stop.leave();
  }
  signal.throwIfAborted();
};

/** Resolves when any of the running work ends or the signal is given, whichever is first. */
const nextEnd = async (running: ReadonlySet<Promise<void>>, signal: AbortSignal): Promise<void> => {
  let leave = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    leave = resolve;
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    await Promise.race([...running, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
