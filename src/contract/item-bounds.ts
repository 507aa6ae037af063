/**
 * Fixed bounds on items, judged from names and sizes before anything is read (product.md section 5, "Sizes"), and on what
 * is found in them: each finding is held until its text is blanked, so their number decides on memory.
 */
import { ColdsealError } from './error.js';

export const MOST_ITEMS = 100_000;
export const LONGEST_PATH_BYTES = 4096;
/** In one text. A log with an address every hundred bytes has as many in 25 MB. */
export const MOST_FINDINGS_IN_TEXT = 250_000;
/** In all texts of one bundle. */
export const MOST_FINDINGS_IN_BUNDLE = 1_000_000;
/**
 * Different values of one bundle, or of one text that is scanned on its own, that are looked for elsewhere. Each thread
 * makes an index of all their forms: of so many it takes 0.4 GB and seconds, of 250,000 three times that, where a thread
 * may hold 1 GiB.
 */
export const MOST_KNOWN_VALUES = 100_000;
const LEAST_ITEM_BOUND_BYTES = 64 * 1024 * 1024;

/** The most bytes that one item may have under a cap. */
export const mostItemBytes = (capBytes: number): number => Math.max(4 * capBytes, LEAST_ITEM_BOUND_BYTES);

/**
 * Counts rows while they are listed, so that a listing of millions is refused at the first row too many and not held.
 * `what` begins the sentence ("The bundle would have"), `narrow` ends it ("Narrow the list."). `ITEM_TOO_LARGE`.
 */
export const countItems = (what: string, narrow: string): (() => void) => {
  let items = 0;
  return () => {
    items += 1;
    if (items <= MOST_ITEMS) return;
    throw new ColdsealError(
      'ITEM_TOO_LARGE',
      `${what} more than ${MOST_ITEMS} items, which is the most that is read. ${narrow}`,
      { facts: { limit_items: MOST_ITEMS } },
    );
  };
};
