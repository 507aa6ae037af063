/**
 * The first of the two figures that decide on the cap: blanked bytes before echo. (The second is the sealed bundle.)
 *
 * Numbers are not given yet while items are scanned, so each placeholder counts with the shortest number it can have. The
 * figure is a sum over texts: no order of finishing and no number of threads changes it.
 */
import { blankedLength } from './blank.js';
import type { BundleText } from './bundle-text.js';
import type { ValueNumbers } from './number-values.js';

export interface Tally {
  /** Counts one text, once it is scanned; its spans are those of the scan alone. */
  add(text: BundleText): void;
  readonly blankedBytes: number;
  /** Over the limit: nothing more needs to be read. */
  readonly isPassed: boolean;
}

/** `limitBytes`: the cap for a send, a multiple of it for a plan. Exactly at the limit is not over it. */
export const createTally = (limitBytes: number): Tally => {
  let blankedBytes = 0;
  return {
    add: (text) => {
      blankedBytes += blankedLength(text, shortestNumbers(text));
    },
    get blankedBytes() {
      return blankedBytes;
    },
    get isPassed() {
      return blankedBytes > limitBytes;
    },
  };
};

const shortestNumbers = (text: BundleText): ValueNumbers => new Map(text.spans.map((span) => [span.valueId, 1]));
