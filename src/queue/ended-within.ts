/**
 * Waits for work, but not for ever. The timer ends with the wait: one that is left behind would keep a program that has
 * nothing else to do from ending.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the work has or the time is over, whichever is first; rejects with what the work rejected with. */
export const endedWithin = async (work: Promise<unknown>, mostMs: number): Promise<void> => {
  const enough = new AbortController();
  try {
    await Promise.race([work, sleep(mostMs, undefined, { signal: enough.signal })]);
  } finally {
    enough.abort();
  }
};
