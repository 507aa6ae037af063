/** One delivery from its text to its end: judged, claimed, run where its repository stands. */
import { isRefusal } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { type Job, laneOf } from '../../contract/job.js';
import type { Claim, Delivered, Delivery } from '../../contract/job-queue.js';
import type { RunEvent } from '../../contract/observer.js';
import type { Settings } from '../../contract/settings.js';
import { recordRefusal } from '../../pipeline/record-refusal.js';
import { newRecordId } from '../../record/record-id.js';
import { openRunRecords } from '../open-records.js';
import type { Surroundings } from '../surroundings.js';
import type { CloneCache } from './clone-cache.js';
import { refusedEnd, unknownEnd } from './job-end.js';
import { withJobRepository } from './open-job-repository.js';
import { endRefused, runBundleJob } from './run-bundle-job.js';
import { runScanJob } from './run-scan-job.js';
import { begunBefore, type SentMarks } from './sent-marks.js';
import { settleBegun } from './settle-begun.js';
import type { ShardPlans } from './shard-objects.js';
import { type JobKey, openJob } from './sign-job.js';

export interface JobRunner {
  readonly surroundings: Surroundings;
  readonly settings: Settings;
  readonly key: JobKey;
  readonly machine: string;
  readonly marks: SentMarks;
  readonly clones: CloneCache;
  readonly plans: ShardPlans;
  readonly keepAnswer: (jobId: string, text: string) => Promise<void>;
  readonly observe: (event: RunEvent) => void;
}

export const runJob = async (runner: JobRunner, delivery: Delivery, signal: AbortSignal): Promise<Delivered> => {
  let job: Job;
  try {
    job = openJob(delivery.text, runner.key, runner.surroundings.now().getTime());
    requireOwnPlace(job, delivery);
  } catch (error) {
    if (!(error instanceof ColdsealError)) throw error;
    return refuseUnread(runner, error);
  }
  const claim = await delivery.claim(job.nonce);
  const judged = await judgeClaim(runner, job, delivery, claim);
  return judged ?? (await runClaimed(runner, job, delivery, signal, claim));
};

/** A job is signed with its id and lane: another place in the queue is somebody else's doing. */
const requireOwnPlace = (job: Job, { id, lane }: Delivery): void => {
  if (job.id !== id) {
    throw new ColdsealError('JOB_REPLAYED', 'the job stands in the queue under an id that is not its own');
  }
  if (laneOf(job) !== lane) {
    throw new ColdsealError('JOB_FORGED', 'the job stands in another lane than the one it was signed for');
  }
};

const refuseUnread = async (runner: JobRunner, error: ColdsealError): Promise<Delivered> => {
  const { surroundings, machine } = runner;
  const record = await recordRefused(runner, error);
  surroundings.say(`coldseal: refused (${error.code}) a job: ${error.message}`);
  // Under an id of its own it may end; another's state is left alone.
  if (error.code === 'JOB_REPLAYED') return { kind: 'leave', code: error.code };
  return { kind: 'end', end: refusedEnd(error.code, machine, record), result: null };
};

/** The row's id, or `null` where it could not be written. */
const recordRefused = async ({ surroundings, settings }: JobRunner, error: ColdsealError): Promise<string | null> => {
  const id = newRecordId(surroundings.random);
  const records = openRunRecords(settings, surroundings);
  const row = { id, verb: 'job', error, route: null, kind: null, project: null };
  return (await recordRefusal(records, row, surroundings.say)) ? id : null;
};

/** `null` when the job is this runner's to run. */
const judgeClaim = async (runner: JobRunner, job: Job, delivery: Delivery, claim: Claim): Promise<Delivered | null> => {
  const { machine, marks } = runner;
  switch (claim.kind) {
    case 'yours': {
      const begun = job.task.do === 'send' ? await marks.find(job.id) : null;
      if (begun !== null) {
        runner.surroundings.say(`coldseal: ${job.id}: ${begunBefore(begun).message}`);
        return { kind: 'end', end: unknownEnd(machine, begun), result: null };
      }
      if (claim.claims <= job.limits.attempts) return null;
      return { kind: 'end', end: refusedEnd('JOB_EXHAUSTED', machine), result: null };
    }
    case 'begun':
      return settleBegun(runner, claim, delivery);
    case 'replayed': {
      const error = new ColdsealError(
        'JOB_REPLAYED',
        'the idempotency key of the job is used up, missing or another’s',
      );
      return refuseUnread(runner, error);
    }
    case 'ended':
      return { kind: 'leave', code: null };
    case 'lost':
      return { kind: 'leave', code: 'JOB_LOST' };
    default:
      return claim satisfies never;
  }
};

const runClaimed = async (
  runner: JobRunner,
  job: Job,
  delivery: Delivery,
  signal: AbortSignal,
  claim: Claim,
): Promise<Delivered> => {
  const { settings, clones, plans, machine, marks, keepAnswer, observe } = runner;
  const say = (line: string): void => runner.surroundings.say(line.replace(/^coldseal:/, `coldseal: ${job.id}:`));
  let delivered: Delivered;
  try {
    delivered = await withJobRepository(job.repository, settings.own.queue, clones, (folder) => {
      const surroundings = { ...runner.surroundings, folder, signal, say };
      const { task } = job;
      return task.do === 'scan'
        ? runScanJob({ task, named: job.repository, plans, delivery, surroundings, machine, observe })
        : runBundleJob({ job, task, delivery, surroundings, marks, machine, keepAnswer, observe });
    });
  } catch (error) {
    if (signal.aborted) delivered = { kind: 'again', code: 'CANCELLED' };
    else if (error instanceof ColdsealError) {
      delivered = endRefused(error, machine);
      say(`coldseal: ${isRefusal(error.code) ? 'refused' : 'failed'} (${error.code}): ${error.message}`);
    } else delivered = { kind: 'again', code: 'INTERNAL' };
  }
  const isLast = claim.kind === 'yours' && claim.claims >= job.limits.attempts;
  if (delivered.kind !== 'again' || !isLast || signal.aborted) return delivered;
  return { kind: 'end', end: refusedEnd(delivered.code, machine), result: null };
};
