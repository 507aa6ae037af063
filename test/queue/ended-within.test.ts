/** A wait with an end: by the work, by the time, and never with a timer left behind. */
import { expect, it } from 'vitest';
import { endedWithin } from '../../src/queue/ended-within.js';

const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;

it('ends with the work, whatever becomes of it, and leaves no timer behind', async () => {
  const before = timers();
  await endedWithin(Promise.resolve(), 3_600_000);
  await expect(endedWithin(Promise.reject(new Error('gone')), 3_600_000)).rejects.toThrow('gone');
  expect(timers()).toBe(before);
});

it('ends with the time where the work does not', async () => {
  await expect(endedWithin(new Promise(() => undefined), 1)).resolves.toBeUndefined();
});
