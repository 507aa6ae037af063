/**
 * Where the service's runs are begun, found, watched and cancelled. A run gets its record's id before anything of it is
 * done, so what is asked for by that id after a restart is found in the record.
 *
 * Memory is bounded by settings: so many runs at once (one more is `BUSY`), so many of them between plan and seal, and of
 * those that ended only the newest, their answers' text up to a fixed sum.
 */
import { ColdsealError } from '../../contract/error.js';
import type { Observe } from '../../contract/observer.js';
import type { QueueSender } from '../jobs/send-by-queue.js';
import { sendBundle } from '../send-bundle.js';
import type { SendResult } from '../send-result.js';
import type { SendWords } from '../send-words.js';
import type { Surroundings } from '../surroundings.js';
import { type DeskRun, type MadeDeskRun, makeDeskRun, type RunEnd } from './desk-run.js';
import type { RunKey, RunKeys } from './run-keys.js';
import { openTurns } from './turns.js';

export interface RequestWords {
  /** Absolute. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface RunDesk {
  /** Work that assembles a bundle within the request that asks for it: a plan, a bundle made again. `BUSY`. */
  within<T>(request: RequestWords, work: (surroundings: Surroundings) => Promise<T>): Promise<T>;
  /** `BUSY`, `USAGE` for a key that came with other words before. With a known key, the run that it began: `run` is `null` when that was in an earlier life of the service. */
  begin(words: SendWords, folder: string, key: RunKey | null): Promise<BegunRun>;
  find(id: string): DeskRun | null;
  /** Runs under way and the newest that ended, the newest first. */
  list(): readonly DeskRun[];
  /** Runs that are under way, plans included. */
  active(): number;
  /** Runs that wait for their turn. */
  waiting(): number;
  isClosing(): boolean;
  /** Lets nobody in any more, waits for what runs, ends with `CANCELLED` what still runs after that time. */
  close(graceMs: number): Promise<void>;
}

export interface BegunRun {
  readonly id: string;
  readonly run: DeskRun | null;
  readonly isNew: boolean;
}

export interface RunDeskParts {
  /** Where runs are done elsewhere: a queue. `null` for a service that does all of them. */
  readonly elsewhere: QueueSender | null;
  readonly surroundingsOf: (request: RequestWords) => Surroundings;
  readonly keys: RunKeys;
  readonly newRecordId: () => string;
  /** A refusal that the run itself had not come to record. Never rejects. */
  readonly recordRefusal: (id: string, words: SendWords, error: ColdsealError) => Promise<void>;
  readonly now: () => Date;
  /** Runs at once. */
  readonly most: number;
  /** Of these between plan and seal. */
  readonly turns: number;
}

const MOST_KEPT = 256;
const MOST_KEPT_TEXT_BYTES = 16 * 1024 * 1024;

export const openRunDesk = (parts: RunDeskParts): RunDesk => {
  const runs = new Map<string, MadeDeskRun>();
  const turns = openTurns(parts.turns);
  const cancels = new Set<() => void>();
  let active = 0;
  let isClosing = false;
  let whenIdle: (() => void) | null = null;

  const enter = (): void => {
    if (isClosing) throw new ColdsealError('BUSY', 'the service is ending; ask the next one');
    if (active >= parts.most) {
      throw new ColdsealError('BUSY', `${active} runs are under way, the limit; try again when one has ended`, {
        facts: { runs: active, limit: parts.most },
      });
    }
    active += 1;
  };
  const leave = (): void => {
    active -= 1;
    if (active === 0) whenIdle?.();
  };

  /** The run in its turn; the turn is given back when the bundle is on its way. */
  const inTurn = async (
    words: SendWords,
    request: RequestWords,
    { id }: DeskRun,
    observe: Observe,
  ): Promise<SendResult> => {
    const giveBack = await turns.take(request.signal);
    try {
      const told: Observe = (event) => {
        if (event.kind === 'stage' && event.stage === 'send') giveBack();
        observe(event);
      };
      const job = { recordId: id, beforeBody: () => Promise.resolve() };
      return await sendBundle(parts.surroundingsOf(request), words, told, job);
    } finally {
      giveBack();
    }
  };

  /** A run that another machine does needs no turn of this one. */
  const sending = (words: SendWords, request: RequestWords, run: DeskRun, observe: Observe): Promise<SendResult> =>
    parts.elsewhere?.takes(words) === true
      ? parts.elsewhere.send(words, request, observe)
      : inTurn(words, request, run, observe);

  const start = (made: MadeDeskRun, words: SendWords, folder: string, signal: AbortSignal, done: () => void): void => {
    const request = { folder, say: made.say, signal };
    const close = (end: RunEnd): void => {
      done();
      leave();
      made.close(end);
      forgetOld(runs);
    };
    sending(words, request, made.run, made.observe).then(
      ({ sealed: _, ...result }) => close({ ok: true, result }),
      async (error: unknown) => {
        // Ended in line, or before its repository was open.
        if (error instanceof ColdsealError && error.code === 'CANCELLED')
          await parts.recordRefusal(made.run.id, words, error);
        close({ ok: false, error });
      },
    );
  };

  return {
    within: async (request, work) => {
      enter();
      const stop = new AbortController();
      const cancel = (): void => stop.abort(cancelled());
      cancels.add(cancel);
      try {
        const signal = AbortSignal.any([request.signal, stop.signal]);
        const giveBack = await turns.take(signal);
        try {
          return await work(parts.surroundingsOf({ ...request, signal }));
        } finally {
          giveBack();
        }
      } finally {
        cancels.delete(cancel);
        leave();
      }
    },
    begin: async (words, folder, key) => {
      if (key !== null) {
        const known = await parts.keys.find(key);
        if (known !== null) return { id: known, run: runs.get(known)?.run ?? null, isNew: false };
      }
      const id = parts.newRecordId();
      try {
        enter();
      } catch (error) {
        if (error instanceof ColdsealError) await parts.recordRefusal(id, words, error);
        throw error;
      }
      const stop = new AbortController();
      const cancel = (): void => stop.abort(cancelled());
      const made = makeDeskRun({ id, words, begun: parts.now(), cancel });
      // Known before the key is, so that whoever finds the key finds the run.
      runs.set(id, made);
      try {
        const owner = key === null ? id : await parts.keys.claim(key, id);
        if (owner !== id) {
          runs.delete(id);
          leave();
          return { id: owner, run: runs.get(owner)?.run ?? null, isNew: false };
        }
      } catch (error) {
        runs.delete(id);
        leave();
        throw error;
      }
      cancels.add(cancel);
      start(made, words, folder, stop.signal, () => cancels.delete(cancel));
      return { id, run: made.run, isNew: true };
    },
    find: (id) => runs.get(id)?.run ?? null,
    list: () => [...runs.values()].map(({ run }) => run).reverse(),
    active: () => active,
    waiting: () => turns.waiting(),
    isClosing: () => isClosing,
    close: async (graceMs) => {
      isClosing = true;
      if (active === 0) return;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
      const timer = setTimeout(() => {
        for (const cancel of cancels) cancel();
      }, graceMs);
      await idle;
      clearTimeout(timer);
    },
  };
};

const cancelled = (): ColdsealError =>
  new ColdsealError('CANCELLED', 'the run was ended by its caller or by the end of the service');

/** Oldest first: a run's place is that of its beginning. */
const forgetOld = (runs: Map<string, MadeDeskRun>): void => {
  const ended = [...runs.values()].filter(({ run }) => run.end() !== null);
  for (const { run } of ended.splice(0, Math.max(0, ended.length - MOST_KEPT))) runs.delete(run.id);
  let bytes = 0;
  for (const made of ended.reverse()) {
    const end = made.run.end();
    const text = end?.ok === true ? end.result.answerText : null;
    if (text === null) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > MOST_KEPT_TEXT_BYTES) made.forgetAnswer();
  }
};
