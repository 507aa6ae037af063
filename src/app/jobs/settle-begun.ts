/**
 * A send that another run began and did not end. Where it ran on this machine, the record may say how it ended: a worker
 * that died between its end row and the queue. Otherwise nobody knows, and a person has to judge.
 */
import type { JobEnd } from '../../contract/job.js';
import { noFigures } from '../../contract/job.js';
import type { Claim, Delivered, Delivery } from '../../contract/job-queue.js';
import type { RecordRow } from '../../contract/record.js';
import { showRecord } from '../../record/show-record.js';
import { unknownEnd } from './job-end.js';
import type { JobRunner } from './run-job.js';

export const settleBegun = async (
  { machine, settings, surroundings }: Pick<JobRunner, 'machine' | 'settings' | 'surroundings'>,
  claim: Claim & { readonly kind: 'begun' },
  { id }: Pick<Delivery, 'id'>,
): Promise<Delivered> => {
  const own = claim.machine === machine ? await showRecord({ folder: settings.own.recordsFolder }, claim.record) : null;
  const ended = own?.rows.findLast((row) => row.event === 'end') ?? null;
  const end = ended?.event === 'end' ? endOfRows(own?.rows ?? [], ended, claim) : null;
  if (end === null) {
    surroundings.say(
      `coldseal: ${id}: unknown: run ${claim.record} on ${claim.machine} began to send and did not end; it is not sent again by itself`,
    );
  }
  return { kind: 'end', end: end ?? unknownEnd(claim.machine, claim.record), result: null };
};

const endOfRows = (
  rows: readonly RecordRow[],
  { outcome, code }: RecordRow & { readonly event: 'end' },
  { machine, record }: Claim & { readonly kind: 'begun' },
): JobEnd | null => {
  // Stopped by its caller after something may have left: that is no answer to go by.
  if (code === 'CANCELLED' || outcome === 'host') return null;
  const start = rows.findLast((row) => row.event === 'start');
  const bundle = start?.event === 'start' ? start.bundle : null;
  return {
    ...noFigures,
    outcome,
    code: code ?? null,
    machine,
    record,
    bundle: bundle?.digest ?? null,
    approval: bundle?.approval ?? null,
    items: bundle?.items.length ?? 0,
    bytes: bundle?.bytes ?? 0,
    blanked: bundle?.blanked.length ?? 0,
  };
};
