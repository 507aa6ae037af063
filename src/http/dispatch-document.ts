/** A run as the API shows it: from the desk while it is known there, else from its rows in the record. */
import type { RunSummary } from '../app/record-reading.js';
import type { DeskRun, RunEnd } from '../app/service/desk-run.js';
import { ColdsealError } from '../contract/error.js';
import { problemOfError } from './problem.js';
import type { DispatchDocument } from './schemas/run-schema.js';

export const dispatchDocumentOf = (run: DeskRun): DispatchDocument => {
  const end = run.end();
  return {
    id: run.id,
    state: end === null ? 'running' : 'ended',
    kind: run.kind,
    verb: run.verb,
    begun: run.begun.toISOString(),
    progress: progressOf(run),
    ...(end === null ? {} : outcomeOf(end)),
    notes: [...run.notes()],
  };
};

export const progressOf = (run: DeskRun): NonNullable<DispatchDocument['progress']> => {
  const { stage, items, itemsDue, bytes, bytesDue, blankedBytes, capBytes, blanked } = run.progress();
  return {
    stage,
    items,
    items_due: itemsDue,
    bytes,
    bytes_due: bytesDue,
    bundle_bytes: blankedBytes,
    cap: capBytes,
    blanked,
  };
};

type Outcome = Pick<DispatchDocument, 'outcome' | 'code' | 'message' | 'facts' | 'bundle' | 'answer' | 'record'>;

const outcomeOf = (end: RunEnd): Outcome => {
  if (!end.ok) {
    const { outcome, code, message } = problemOfError(end.error);
    const facts = end.error instanceof ColdsealError ? { facts: end.error.facts } : {};
    return { outcome, code: code as DispatchDocument['code'], message, ...facts };
  }
  const { document, answerText } = end.result;
  // The document's members are the schema's; only its lists are read-only.
  const members = document as unknown as Outcome;
  return { ...members, ...(document.outcome === 'sent' ? { answer_text: answerText } : {}) };
};

/** What the record still says of a run of an earlier start. */
export const recordedDispatch = (summary: RunSummary): DispatchDocument => ({
  id: summary.id,
  state: 'ended',
  kind: summary.kind,
  verb: summary.verb,
  begun: summary.time,
  outcome: summary.outcome,
  ...(summary.code === null ? {} : { code: summary.code }),
  notes:
    summary.outcome === 'unknown'
      ? ['it began and did not end: the program was killed, or another one is still at it']
      : [],
});

/** A key is kept and no row is: what it began never came to a connection, so nothing left. */
export const unrecordedDispatch = (id: string, now: Date): DispatchDocument => ({
  id,
  state: 'ended',
  kind: null,
  verb: 'unknown',
  begun: now.toISOString(),
  outcome: 'unknown',
  notes: ['nothing of this run is in the record: it ended before anything was sent, or another program is still at it'],
});
