/**
 * Words of shared memory that tell threads to end what nobody waits for any more; one for each signal.
 *
 * A word is lent for as long as a batch is with a thread, and the signal is listened to for no longer: a listener that
 * stays keeps a combined signal, its word and whatever hangs on them for the life of the process.
 */
import type { StopWord } from '../contract/scan.js';

export const newStopWord = (): StopWord => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

export const raise = (word: StopWord): void => {
  Atomics.store(new Int32Array(word), 0, 1);
};

export interface LentWord {
  readonly word: StopWord;
  /** Once, when the thread has answered. */
  giveBack(): void;
}

export interface StopWords {
  /** The signal's word, raised when it aborts before it is given back. */
  lend(signal: AbortSignal): LentWord;
}

interface KnownWord {
  readonly word: StopWord;
  readonly onAbort: () => void;
  lent: number;
}

/** All batches of a run have one signal, so they share one word and one listener. */
export const stopWords = (): StopWords => {
  const known = new WeakMap<AbortSignal, KnownWord>();
  const knownOf = (signal: AbortSignal): KnownWord => {
    const before = known.get(signal);
    if (before !== undefined) return before;
    const word = newStopWord();
    const made = { word, onAbort: () => raise(word), lent: 0 };
    known.set(signal, made);
    return made;
  };
  return {
    lend: (signal) => {
      const own = knownOf(signal);
      if (signal.aborted) raise(own.word);
      else if (own.lent === 0) signal.addEventListener('abort', own.onAbort, { once: true });
      own.lent += 1;
      return {
        word: own.word,
        giveBack: () => {
          own.lent -= 1;
          if (own.lent === 0) signal.removeEventListener('abort', own.onAbort);
        },
      };
    },
  };
};
