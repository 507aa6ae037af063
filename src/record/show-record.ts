/** One run with all its rows: each attempt's start, the end, or the one row of a refusal or a host route. */

import type { RunSummary } from '../contract/documents.js';
import type { RecordRow } from '../contract/record.js';
import { type ReadOptions, readRows } from './read-rows.js';
import { addRow } from './run-summary.js';

export interface RunRecord {
  readonly summary: RunSummary;
  /** In chain order, as they were written. */
  readonly rows: readonly RecordRow[];
}

/** `null` where no run has that id. Reads the whole store: an end may stand months behind its start. */
export async function showRecord(options: ReadOptions, id: string): Promise<RunRecord | null> {
  const rows: RecordRow[] = [];
  let summary: RunSummary | undefined;
  for await (const row of readRows(options)) {
    if (row.id !== id) continue;
    const joined = addRow(summary, row);
    if (joined === null) continue;
    summary = joined;
    rows.push(row);
  }
  return summary === undefined ? null : { summary, rows };
}
