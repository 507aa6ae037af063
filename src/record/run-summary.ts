/** A run joined from its rows. A start without an end is `unknown`: the program was killed, or is still at it. */
import type { RunSummary } from '../contract/documents.js';
import type { RecordRow } from '../contract/record.js';

/** The summary after one more row of the same run; `null` when the row belongs to no run or to one not begun. */
export function addRow(earlier: RunSummary | undefined, row: RecordRow): RunSummary | null {
  switch (row.event) {
    case 'start':
      return earlier === undefined ? begun(row) : { ...earlier, attempts: Math.max(earlier.attempts, row.attempt) };
    case 'end':
      return earlier === undefined ? null : { ...earlier, outcome: row.outcome, code: row.code ?? null };
    case 'refused':
      return {
        ...(earlier ?? bare(row, row.verb)),
        outcome: 'refused',
        code: row.code,
        agent: row.route?.agent ?? null,
        kind: row.kind,
        project: row.project,
        provider: row.route?.provider ?? null,
        model: row.route?.model_asked ?? null,
      };
    case 'host':
      return { ...(earlier ?? bare(row, row.verb)), outcome: 'host', agent: row.route.agent, kind: row.kind };
    case 'repair':
      return null;
    default:
      return row satisfies never;
  }
}

function begun(row: RecordRow & { readonly event: 'start' }): RunSummary {
  return {
    ...bare(row, row.verb),
    agent: row.route.agent,
    kind: row.bundle?.kind ?? null,
    project: row.bundle?.project ?? null,
    provider: row.route.provider,
    model: row.route.model_asked,
    items: row.bundle?.items.length ?? null,
    bytes: row.bundle?.bytes ?? null,
    blanked: row.bundle?.blanked.length ?? null,
    attempts: row.attempt,
  };
}

const bare = (row: RecordRow, verb: string): RunSummary => ({
  id: row.id,
  time: row.time,
  verb,
  outcome: 'unknown',
  code: null,
  agent: null,
  kind: null,
  project: null,
  provider: null,
  model: null,
  items: null,
  bytes: null,
  blanked: null,
  attempts: 0,
});
