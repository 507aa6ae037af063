/** Words of shared memory that tell threads to end what nobody waits for any more; one for each signal. */
import type { StopWord } from '../contract/scan.js';

export const newStopWord = (): StopWord => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

export const raise = (word: StopWord): void => {
  Atomics.store(new Int32Array(word), 0, 1);
};

export interface StopWords {
  /** The signal's word, raised when it aborts. */
  of(signal: AbortSignal): StopWord;
}

/** All batches of a run have one signal, so they share one word and one listener; both go with the signal. */
export const stopWords = (): StopWords => {
  const known = new WeakMap<AbortSignal, StopWord>();
  return {
    of: (signal) => {
      const word = known.get(signal) ?? newStopWord();
      if (!known.has(signal)) {
        known.set(signal, word);
        if (signal.aborted) raise(word);
        else signal.addEventListener('abort', () => raise(word), { once: true });
      }
      return word;
    },
  };
};
