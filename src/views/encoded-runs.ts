/**
 * Runs of the base64 alphabet that are long enough to hold a secret. Every 16th byte is looked at first: where it is
 * outside the alphabet, no run of 16 can end before it, so most source text is passed in large steps.
 */
import { BASE64_VALUES, NO_VALUE } from './byte-tables.js';

/** 16 characters are 12 bytes, the shortest value that is looked for. */
export const LEAST_RUN_BYTES = 16;

/** Starts and ends of all runs, one after the other. */
export const findEncodedRuns = (bytes: Uint8Array): number[] => {
  const runs: number[] = [];
  const size = bytes.length;
  let from = 0;
  let probe = LEAST_RUN_BYTES - 1;
  while (probe < size) {
    if (BASE64_VALUES[bytes[probe] ?? 0] === NO_VALUE) {
      from = probe + 1;
      probe += LEAST_RUN_BYTES;
      continue;
    }
    let back = probe - 1;
    while (back >= from && BASE64_VALUES[bytes[back] ?? 0] !== NO_VALUE) back -= 1;
    const start = back + 1;
    const least = start + LEAST_RUN_BYTES - 1;
    if (least > probe) {
      let on = probe + 1;
      while (on <= least && on < size && BASE64_VALUES[bytes[on] ?? 0] !== NO_VALUE) on += 1;
      if (on <= least) {
        from = on + 1;
        probe = on + LEAST_RUN_BYTES;
        continue;
      }
      probe = least;
    }
    let end = probe + 1;
    while (end < size && BASE64_VALUES[bytes[end] ?? 0] !== NO_VALUE) end += 1;
    runs.push(start, end);
    from = end + 1;
    probe = end + LEAST_RUN_BYTES;
  }
  return runs;
};
