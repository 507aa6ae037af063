/** Waits for what another process brings about; a test that waits in vain says so and not only that it ran out of time. */
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 25;

export const until = async <T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  mostMs = 30_000,
): Promise<T> => {
  const deadline = Date.now() + mostMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${mostMs} ms: ${what}`);
    await pause(LOOK_MS);
  }
};
