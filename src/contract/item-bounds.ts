/** Fixed bounds on items, judged from sizes before anything is read (product.md section 5, "Sizes"). */

export const MOST_ITEMS = 100_000;
export const LONGEST_PATH_BYTES = 4096;
const LEAST_ITEM_BOUND_BYTES = 64 * 1024 * 1024;

/** The most bytes that one item may have under a cap. */
export const mostItemBytes = (capBytes: number): number => Math.max(4 * capBytes, LEAST_ITEM_BOUND_BYTES);
