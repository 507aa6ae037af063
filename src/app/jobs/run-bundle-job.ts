/**
 * A job that plans or sends, where it runs. Everything but the references is this machine's own: settings, credentials,
 * definitions, records, answers.
 *
 * Who may send, and what is known after a death at each point (R: the state in Redis, M: this machine's mark, S and E: the
 * start and end rows of the record):
 *
 *   died                                     left behind         who finds it
 *   before the lease is claimed              R added             runs it
 *   assembling, connecting, after S          R claimed, S        runs it again under a new record; S without E is a note
 *   after R sending, before M                R sending           unknown: nothing left, but nobody can tell
 *   after M, before, in or after the body    R sending, M, S     unknown
 *   after E, before R ended                  R sending, M, S, E  this machine: ends as E says; another one: unknown
 *   after R ended, before BullMQ knows       R ended             tells BullMQ, runs nothing
 *   Redis lost `sending` (disk, failover)    M, S                this machine: unknown; another one: sends again
 *
 * The last line is why a server that may forget takes no sends (judge-durability.ts). A lease that ran out while its
 * holder stood still is like a death: the holder's next step is refused (`JOB_LOST`).
 */
import { type Code, isRefusal } from '../../contract/codes.js';
import type { OutcomeDocument } from '../../contract/documents.js';
import { ColdsealError } from '../../contract/error.js';
import type { BundleTask, Job, JobProgress } from '../../contract/job.js';
import type { Delivered, Delivery } from '../../contract/job-queue.js';
import type { RunEvent } from '../../contract/observer.js';
import { newRecordId } from '../../record/record-id.js';
import { programWords } from '../run-words.js';
import { sendBundle } from '../send-bundle.js';
import type { SendResult } from '../send-result.js';
import type { SendWords } from '../send-words.js';
import type { Surroundings } from '../surroundings.js';
import { programWordsOf } from './bundle-task.js';
import { cancelledEnd, endOfDocument, refusedEnd, unknownEnd } from './job-end.js';
import type { SentMarks } from './sent-marks.js';

export interface BundleJobRun {
  readonly job: Job;
  readonly task: BundleTask;
  readonly delivery: Delivery;
  /** Of the job's repository, with the worker's threads and the job's signal. */
  readonly surroundings: Surroundings;
  readonly marks: SentMarks;
  readonly machine: string;
  /** Keeps an answer that no checkout could take. */
  readonly keepAnswer: (jobId: string, text: string) => Promise<void>;
  readonly observe: (event: RunEvent) => void;
}

/** What may go better later, as long as nothing left. */
const TRANSIENT: ReadonlySet<Code> = new Set([
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_TLS',
  'RECORD_UNWRITABLE',
  'GIT_FAILED',
  'BUSY',
  'INTERNAL',
  'QUEUE_UNREACHABLE',
  'QUEUE_AUTH',
  'QUEUE_FULL',
  'QUEUE_SLOW',
  'QUEUE_SWITCHING',
  'QUEUE_UNSAFE',
]);

export const runBundleJob = async (run: BundleJobRun): Promise<Delivered> => {
  const { job, delivery, surroundings, marks, machine } = run;
  const record = newRecordId(surroundings.random);
  let mayHaveLeft = false;
  const beforeBody = async (): Promise<void> => {
    await delivery.startSending(record);
    mayHaveLeft = true;
    try {
      await marks.put(job.id, record);
    } catch (error) {
      // Nothing has left by this run. Where another one had begun, its end stays unknown.
      mayHaveLeft = false;
      if (!(error instanceof ColdsealError && error.code === 'JOB_UNKNOWN')) await delivery.turnedAway();
      throw error;
    }
  };
  let result: SendResult;
  try {
    const job = { id: run.job.id, recordId: record, beforeBody };
    result = await sendBundle(surroundings, wordsOf(run.task), observer(run), job);
  } catch (error) {
    if (mayHaveLeft) return { kind: 'end', end: unknownEnd(machine, record), result: null };
    return { kind: 'again', code: surroundings.signal.aborted ? 'CANCELLED' : codeOf(error) };
  }
  const { document } = result;
  if (document.code === 'JOB_LOST') return { kind: 'leave', code: 'JOB_LOST' };
  if (document.code === 'CANCELLED' && !mayHaveLeft) return { kind: 'end', end: cancelledEnd(machine), result: null };
  if (document.code === 'JOB_UNKNOWN') return { kind: 'end', end: unknownEnd(machine, record), result: null };
  if (!mayHaveLeft && isTransient(document)) return { kind: 'again', code: document.code ?? 'INTERNAL' };
  if (mayHaveLeft && wasTurnedAway(document)) {
    await marks.remove(job.id);
    await delivery.turnedAway();
    return { kind: 'again', code: 'PROVIDER_STATUS' };
  }
  if (result.answerText !== null && document.answer?.path === undefined) {
    await keepQuietly(run, result.answerText);
  }
  const end = endOfDocument(document, machine);
  return {
    kind: 'end',
    end: end.record === null ? { ...end, record: mayHaveLeft ? record : null } : end,
    result: null,
  };
};

/** The job was sent whether or not its answer can be kept; it must not be sent again for that. */
const keepQuietly = async ({ job, keepAnswer, surroundings }: BundleJobRun, text: string): Promise<void> => {
  try {
    await keepAnswer(job.id, text);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown fault';
    surroundings.say(`coldseal: the answer of ${job.id} could not be kept (${why})`);
  }
};

const wordsOf = (task: BundleTask): SendWords => ({
  ...programWords(programWordsOf(task), task.do === 'plan'),
  routes: [`${task.agent}=${task.route}`],
});

const isTransient = ({ outcome, code, facts }: OutcomeDocument): boolean =>
  code !== undefined && TRANSIENT.has(code) && facts?.['certificate'] !== true && outcome !== 'planned';

/** A complete 429 or 503, the transport's own tries used up: the bundle was not taken. An empty account stays empty. */
const wasTurnedAway = ({ code, facts }: OutcomeDocument): boolean =>
  code === 'PROVIDER_STATUS' && (facts?.['status'] === 429 || facts?.['status'] === 503) && facts['cause'] !== 'quota';

const codeOf = (error: unknown): Code => (error instanceof ColdsealError ? error.code : 'INTERNAL');

/** Events to progress: totals, for a live view. */
const observer = ({ delivery, observe }: BundleJobRun): ((event: RunEvent) => void) => {
  let progress: JobProgress = { stage: 'plan', items: 0, bytes: 0, findings: 0 };
  return (event) => {
    observe(event);
    if (event.kind === 'stage') progress = { ...progress, stage: event.stage };
    else if (event.kind === 'scanned') {
      const { items, bytes, findings } = event;
      progress = {
        ...progress,
        items: progress.items + items,
        bytes: progress.bytes + bytes,
        findings: progress.findings + findings,
      };
    } else return;
    delivery.progress(progress);
  };
};

/** A refusal outside the run's own: of the repository, the key, the settings. */
export const endRefused = (error: ColdsealError, machine: string): Delivered =>
  isRefusal(error.code) && !TRANSIENT.has(error.code)
    ? { kind: 'end', end: refusedEnd(error.code, machine), result: null }
    : { kind: 'again', code: error.code };
