/**
 * The figures of the record store as Prometheus text, for a textfile collector: what the command line did, where no
 * process stays to be scraped. What only a running process knows (threads, queue) is left out. The record does not keep
 * how much a refused run had scanned, so `coldseal_scanned_bytes_total` counts bundles that were sent.
 */
import { Registry } from 'prom-client';
import type { RecordRow } from '../contract/record.js';
import { closedWord, LABEL_WORDS } from './metric-table.js';
import { addBuildInfo, type Build, createRunMetrics, type RunMetrics } from './metrics.js';
import { countAnswer, countEnd } from './observe-run.js';

/** First part of a finding's kind to its family of rules. */
const FAMILY_OF: Readonly<Record<string, string>> = {
  token: 'secret',
  pem: 'secret',
  identity: 'identity',
  net: 'network',
  harness: 'harness',
  private: 'private',
};

/** @param rows in chain order; read once, one at a time. Memory grows with the runs that never ended. */
export async function metricsFromRecords(rows: AsyncIterable<RecordRow>, build: Build): Promise<string> {
  const registry = new Registry();
  const run = createRunMetrics(registry);
  addBuildInfo(registry, build);
  const open = new Map<string, string | null>();
  for await (const row of rows) countRow(run, open, row);
  for (const kind of open.values()) countEnd(run, kind, 'unknown', null);
  return registry.metrics();
}

/** @param open kinds of the runs that have begun and not ended, by record id. */
function countRow(run: RunMetrics, open: Map<string, string | null>, row: RecordRow): void {
  switch (row.event) {
    case 'start':
      // A further attempt sends the same bundle again.
      if (!open.has(row.id)) countBundle(run, row);
      open.set(row.id, row.bundle?.kind ?? null);
      return;
    case 'end': {
      countEnd(run, open.get(row.id) ?? null, row.outcome, row.code ?? null);
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
