/**
 * A run of the service that is done elsewhere: signed, added, watched until it ends. The service's own view of it stays
 * what it was: progress comes back from whoever runs it, and the end is the job's end.
 *
 * The end of the service is not the end of the job: it stays in the queue and is found there by its id.
 */
import { isRefusal } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { type JobEnd, type JobProgress, noFigures, providerLane } from '../../contract/job.js';
import type { JobEvent, JobQueue, QueuedJob } from '../../contract/job-queue.js';
import type { Observe } from '../../contract/observer.js';
import type { Settings } from '../../contract/settings.js';
import type { SendResult } from '../send-result.js';
import type { SendWords } from '../send-words.js';
import type { RequestWords } from '../service/run-desk.js';
import type { Surroundings } from '../surroundings.js';
import { bundleJob } from './ask-jobs.js';
import { JOB_DEFAULTS } from './make-job.js';
import { jobMaking } from './open-jobs.js';

export interface QueueSender {
  /** Whether these words make a job; a text and the host's own work do not. */
  takes(words: SendWords): boolean;
  /** Rejects with what the job ended with when that is not `sent`. */
  send(words: SendWords, request: RequestWords, observe: Observe): Promise<SendResult>;
  close(): Promise<void>;
}

export interface QueueSenderParts {
  readonly queue: JobQueue;
  readonly surroundings: Surroundings;
  readonly readSettings: () => Promise<Settings>;
  /** The service is ending: a run is let go of and not cancelled. */
  readonly isClosing: () => boolean;
}

/** An event may be lost with a connection, so the job is asked for as well. */
const ASK_MS = 2000;

export const openQueueSender = (parts: QueueSenderParts): QueueSender => {
  const listeners = new Map<string, (event: JobEvent) => void>();
  const watched = new Map<string, Promise<() => Promise<void>>>();
  const watch = async (lane: string): Promise<void> => {
    const open = watched.get(lane) ?? parts.queue.watch([lane], (event) => listeners.get(event.id)?.(event));
    watched.set(lane, open);
    // Events are a convenience: where they cannot be had, the end is asked for.
    await open.catch(() => watched.delete(lane));
  };
  return {
    takes: ({ kind, routes }) => kind !== 'source_question' && kind !== 'reading' && routes.length === 0,
    send: async (words, request, observe) => {
      const settings = await parts.readSettings();
      const job = await jobOf(words, request.folder, settings, parts.surroundings);
      await watch(job.lane);
      request.say(`coldseal: queued as ${job.id}`);
      const told = progressTeller(observe);
      let wake = (): void => undefined;
      listeners.set(job.id, (event) => {
        if (event.kind === 'progress') told(event.progress);
        if (event.kind === 'ended') wake();
      });
      try {
        await parts.queue.add([job]);
        const end = await endOf(parts, job, request.signal, (next) => {
          wake = next;
        });
        const result = resultOf(job, words, end);
        for (const note of result.notes) request.say(note);
        return result;
      } finally {
        listeners.delete(job.id);
      }
    },
    close: async () => {
      for (const open of watched.values()) await (await open.catch(() => null))?.();
    },
  };
};

const jobOf = async (
  words: SendWords,
  path: string,
  settings: Settings,
  surroundings: Surroundings,
): Promise<QueuedJob> => {
  const { kind, range, intent, from, to, expect } = words;
  const asked = {
    repository: { path },
    words: {
      kind,
      range: range ?? undefined,
      intent: intent ?? undefined,
      from: from ?? undefined,
      to: to ?? undefined,
      expect: expect ?? undefined,
    },
    isPlan: false,
    agent: null,
    route: null,
    limits: JOB_DEFAULTS,
  };
  return bundleJob(asked, settings, await jobMaking(surroundings, settings));
};

/** Waits for the end; a caller's word to stop becomes the queue's, once. */
const endOf = async (
  { queue, isClosing }: QueueSenderParts,
  { id }: QueuedJob,
  signal: AbortSignal,
  onWake: (wake: () => void) => void,
): Promise<JobEnd> => {
  let isCancelled = false;
  for (;;) {
    if (signal.aborted && isClosing()) {
      throw new ColdsealError('CANCELLED', `the service ended; the job goes on in the queue as ${id}`, {
        facts: { job: id },
      });
    }
    if (signal.aborted && !isCancelled) {
      isCancelled = true;
      await queue.cancel(id).catch(() => undefined);
    }
    const view = await queue.show(id).catch(() => null);
    if (view?.end !== null && view?.end !== undefined) return view.end;
    if (view?.state === 'ended') return { ...noFigures, outcome: 'refused', code: 'JOB_EXHAUSTED' };
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, isCancelled ? ASK_MS / 10 : ASK_MS);
      onWake(done);
      if (!isCancelled) signal.addEventListener('abort', done, { once: true });
    });
  }
};

/** Totals to the steps that a run's watcher adds up. */
const progressTeller = (observe: Observe): ((progress: JobProgress) => void) => {
  let before: JobProgress = { stage: 'plan', items: 0, bytes: 0, findings: 0 };
  return (progress) => {
    if (progress.stage !== before.stage) observe({ kind: 'stage', stage: progress.stage });
    const items = progress.items - before.items;
    const bytes = progress.bytes - before.bytes;
    const findings = progress.findings - before.findings;
    // A job that is begun anew counts from the start again.
    if (items > 0 && bytes >= 0) observe({ kind: 'scanned', items, bytes, blankedBytes: 0, findings });
    before = progress;
  };
};

const factsOf = (id: string, { record, machine, bundle, approval, items, bytes, blanked }: JobEnd) => ({
  job: id,
  record,
  machine,
  bundle,
  approval,
  items,
  bytes,
  blanked,
});

const resultOf = ({ id, lane }: QueuedJob, words: SendWords, end: JobEnd): SendResult => {
  const facts = factsOf(id, end);
  if (end.outcome !== 'sent') {
    const code = end.code ?? 'INTERNAL';
    const what = isRefusal(code) ? 'was refused' : 'failed';
    throw new ColdsealError(
      code,
      `the job ${id} ${what} where it ran${end.machine === null ? '' : ` (${end.machine}, record ${end.record ?? 'none'})`}; \`coldseal explain ${code}\` says what changes it`,
      { facts },
    );
  }
  const provider = lane.slice(providerLane('').length);
  return {
    exit: 0,
    document: {
      outcome: 'sent',
      facts,
      route: { agent: words.agent, provider, model_asked: null, origin: 'machine', remote: true },
    },
    answerText: null,
    sealed: null,
    notes: [answerPlace(id, end)],
  };
};

/** An answer may quote what was sent, and nothing of that goes through the queue: it stays where the job ran. */
const answerPlace = (id: string, { machine, record }: JobEnd): string =>
  `coldseal: the answer is on ${machine ?? 'the machine that ran it'}: in the repository under .abcd/.work.local/reviews/ as ${record ?? 'the record'}.answer.md (.json where the kind answers in JSON), or else in the machine folder under coldseal/answers/ as ${id}.answer`;
