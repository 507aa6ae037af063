/**
 * Turns for the part of a run that holds memory: from the plan to the seal. A run that waits for its provider has given
 * its turn back, so a slow provider never stops the next bundle from being made.
 */

export interface Turns {
  /** Resolves with the way to give the turn back, which may be called more than once; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
  /** Runs in line. */
  waiting(): number;
}

export const openTurns = (places: number): Turns => {
  const line: (() => void)[] = [];
  let taken = 0;

  const giveBack = (): (() => void) => {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const next = line.shift();
      if (next === undefined) taken -= 1;
      else next();
    };
  };

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (taken < places) {
        taken += 1;
        return giveBack();
      }
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          const at = line.indexOf(enter);
          if (at >= 0) line.splice(at, 1);
          reject(signal.reason);
        };
        const enter = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        line.push(enter);
      });
      return giveBack();
    },
    waiting: () => line.length,
  };
};
