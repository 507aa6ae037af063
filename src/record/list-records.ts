/** The newest runs, in the order they began. Memory grows with `limit`, never with the store. */

import type { RunSummary } from '../contract/documents.js';
import { type ReadOptions, readRows } from './read-rows.js';
import { addRow } from './run-summary.js';

export interface ListOptions extends ReadOptions {
  /** Most runs to return, 1 or more. */
  readonly limit: number;
}

export async function listRecords(options: ListOptions): Promise<readonly RunSummary[]> {
  const newest = new Map<string, RunSummary>();
  for await (const row of readRows(options)) {
    const summary = addRow(newest.get(row.id), row);
    if (summary === null) continue;
    newest.set(row.id, summary);
    if (newest.size <= options.limit) continue;
    const oldest = newest.keys().next();
    if (oldest.done !== true) newest.delete(oldest.value);
  }
  return [...newest.values()];
}
