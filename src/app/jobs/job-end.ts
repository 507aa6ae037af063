/** From what a run gave back to how its job ended. Closed words, digests and numbers: it stands in Redis. */
import type { Code } from '../../contract/codes.js';
import type { OutcomeDocument } from '../../contract/documents.js';
import { CANCELLED_END, type JobEnd, type JobOutcome, noFigures } from '../../contract/job.js';

export const refusedEnd = (code: Code, machine: string, record: string | null = null): JobEnd => ({
  ...noFigures,
  outcome: 'refused',
  code,
  machine,
  record,
});

export const unknownEnd = (machine: string, record: string): JobEnd => ({
  ...noFigures,
  outcome: 'unknown',
  code: 'JOB_UNKNOWN',
  machine,
  record,
});

export const cancelledEnd = (machine: string): JobEnd => ({ ...CANCELLED_END, machine });

export const endOfDocument = (document: OutcomeDocument, machine: string): JobEnd => {
  const { bundle } = document;
  return {
    ...noFigures,
    outcome: jobOutcome(document),
    code: document.code ?? null,
    machine,
    record: document.record?.id ?? null,
    bundle: bundle?.digest ?? null,
    approval: bundle?.approval ?? null,
    items: bundle?.items.length ?? 0,
    bytes: bundle?.bytes ?? 0,
    blanked: bundle?.blanked.length ?? 0,
  };
};

/** A job never goes to the host: it names its provider, and nobody is there to be handed anything. */
const jobOutcome = ({ outcome }: OutcomeDocument): JobOutcome => (outcome === 'host' ? 'refused' : outcome);
