/**
 * One run at the desk: where it stands, how it ended, who watches. Watchers are told that something is new and read the
 * state themselves, so one that is slow misses steps between and never holds any.
 */
import type { Observe } from '../../contract/observer.js';
import { addEvent, NO_PROGRESS, type ProgressState } from '../run-progress.js';
import type { SendResult } from '../send-result.js';
import type { SendWords } from '../send-words.js';

export type RunEnd =
  /** `sealed` is never kept: a bundle may be 256 MiB. */
  { readonly ok: true; readonly result: Omit<SendResult, 'sealed'> } | { readonly ok: false; readonly error: unknown };

export interface DeskRun {
  /** The record's id. */
  readonly id: string;
  readonly verb: string;
  readonly kind: SendWords['kind'];
  readonly begun: Date;
  progress(): ProgressState;
  /** Lines to the person, at most 64. */
  notes(): readonly string[];
  /** `null` while it runs. */
  end(): RunEnd | null;
  /** Resolves when it has ended, however it ended. */
  readonly ended: Promise<RunEnd>;
  /** Ends it with `CANCELLED`; nothing happens to one that has ended. */
  cancel(): void;
  /** Calls back after every change, the end included, until the returned function is called. */
  watch(tell: () => void): () => void;
}

const MOST_NOTES = 64;

export interface DeskRunWords {
  readonly id: string;
  readonly words: SendWords;
  readonly begun: Date;
  readonly cancel: () => void;
}

export interface MadeDeskRun {
  readonly run: DeskRun;
  readonly observe: Observe;
  readonly say: (line: string) => void;
  readonly close: (end: RunEnd) => void;
  /** Lets go of the answer's text. */
  readonly forgetAnswer: () => void;
}

export const makeDeskRun = ({ id, words, begun, cancel }: DeskRunWords): MadeDeskRun => {
  const watchers = new Set<() => void>();
  const notes: string[] = [];
  let progress = NO_PROGRESS;
  let end: RunEnd | null = null;
  let settle: (ended: RunEnd) => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve) => {
    settle = resolve;
  });
  const tellAll = (): void => {
    for (const tell of watchers) tell();
  };
  return {
    run: {
      id,
      verb: words.verb,
      kind: words.kind,
      begun,
      progress: () => progress,
      notes: () => notes,
      end: () => end,
      ended,
      cancel: () => {
        if (end === null) cancel();
      },
      watch: (tell) => {
        watchers.add(tell);
        return () => watchers.delete(tell);
      },
    },
    observe: (event) => {
      progress = addEvent(progress, event);
      tellAll();
    },
    say: (line) => {
      if (notes.length < MOST_NOTES) notes.push(line);
    },
    close: (how) => {
      end = how;
      settle(how);
      tellAll();
      watchers.clear();
    },
    forgetAnswer: () => {
      if (end?.ok === true) end = { ok: true, result: { ...end.result, answerText: null } };
    },
  };
};
