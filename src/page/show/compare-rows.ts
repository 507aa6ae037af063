/**
 * The rows that a page shows beside those that the chain holds now. A chain that is whole says nothing of what stands on a
 * screen: that was read earlier, and a store that was written anew since is whole too.
 */
import type { RecordRow } from '../../contract/record.js';

export type RowsCompared =
  | { readonly kind: 'same'; readonly rows: number }
  /** The run went on since: all shown rows are there, and more. */
  | { readonly kind: 'more'; readonly rows: number; readonly more: number }
  /** The first shown row, from 1, that the chain has otherwise or not at all. */
  | { readonly kind: 'other'; readonly row: number };

/** Rows of one run, in chain order. */
export const compareRows = (shown: readonly RecordRow[], stored: readonly RecordRow[]): RowsCompared => {
  const at = shown.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(stored[index] ?? null));
  if (at >= 0) return { kind: 'other', row: at + 1 };
  const more = stored.length - shown.length;
  return more === 0 ? { kind: 'same', rows: shown.length } : { kind: 'more', rows: shown.length, more };
};
