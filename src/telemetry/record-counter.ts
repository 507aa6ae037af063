/**
 * Rows of the record as figures of runs: each row once, in chain order, whoever wrote it. One counting for the text that
 * `coldseal metrics` prints and for the service, so that the two can never disagree. The record does not keep how much a
 * refused run had scanned, so `coldseal_scanned_bytes_total` counts bundles that were sent.
 */
import type { RecordRow } from '../contract/record.js';
import { countAnswer, countEnd } from './count-run.js';
import { closedWord, LABEL_WORDS } from './metric-table.js';
import type { RunMetrics } from './metrics.js';

export interface RecordCounter {
  add(row: RecordRow): void;
  /** Counts as `unknown` every run that began before that moment and has not ended; each once. */
  lapse(beforeEpochMs: number): void;
}

/** First part of a finding's kind to its family of rules. */
const FAMILY_OF: Readonly<Record<string, string>> = {
  token: 'secret',
  pem: 'secret',
  identity: 'identity',
  net: 'network',
  harness: 'harness',
  private: 'private',
};

interface OpenRun {
  readonly kind: string | null;
  readonly begunEpochMs: number;
}

/** Memory grows with the runs that have not ended. */
export function createRecordCounter(run: RunMetrics): RecordCounter {
  const open = new Map<string, OpenRun>();
  return {
    add: (row) => countRow(run, open, row),
    lapse: (beforeEpochMs) => {
      for (const [id, { kind, begunEpochMs }] of open) {
        if (begunEpochMs >= beforeEpochMs) continue;
        countEnd(run, kind, 'unknown', null);
        open.delete(id);
      }
    },
  };
}

function countRow(run: RunMetrics, open: Map<string, OpenRun>, row: RecordRow): void {
  switch (row.event) {
    case 'start':
      // A further attempt sends the same bundle again.
      if (!open.has(row.id)) countBundle(run, row);
      open.set(row.id, { kind: row.bundle?.kind ?? null, begunEpochMs: Date.parse(row.time) });
      return;
    case 'end': {
      countEnd(run, open.get(row.id)?.kind ?? null, row.outcome, row.code ?? null);
      open.delete(row.id);
      const durationMs = row.durations_ms['provider'];
      if (durationMs === undefined) return;
      countAnswer(run, {
        durationMs,
        firstTokenMs: row.durations_ms['first_token'] ?? null,
        promptTokens: row.usage?.['prompt_tokens'] ?? null,
        completionTokens: row.usage?.['completion_tokens'] ?? null,
      });
      return;
    }
    case 'refused':
      open.delete(row.id);
      countEnd(run, row.kind, 'refused', row.code);
      return;
    case 'host':
      open.delete(row.id);
      countEnd(run, row.kind, 'host', null);
      return;
    case 'repair':
      return;
    default:
      row satisfies never;
  }
}

function countBundle(run: RunMetrics, row: RecordRow & { readonly event: 'start' }): void {
  run.scannedBytes.inc(row.scanned_bytes);
  const scanMs = row.durations_ms['scan'];
  if (scanMs !== undefined) run.scanSeconds.observe(scanMs / 1000);
  if (row.bundle === null) return;
  run.bundleBytes.observe(row.bundle.bytes);
  run.bundleItems.observe(row.bundle.items.length);
  for (const { kind } of row.bundle.blanked) {
    const family = FAMILY_OF[kind.split(':', 1)[0] ?? ''] ?? 'other';
    run.blankedSpans.inc({ family });
  }
  for (const { omitted } of row.bundle.items) {
    if (omitted !== undefined) run.omittedItems.inc({ reason: closedWord(LABEL_WORDS.reason, omitted) });
  }
}
