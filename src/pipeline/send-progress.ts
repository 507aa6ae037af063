/**
 * How far a send has come, noted as it happens, because a run may end at any moment and its record must say what is known
 * then: only a run of which nothing had left is refused. What was handed to the socket counts as left.
 */
import { type Code, isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { RequestProgress } from '../contract/record.js';
import type { RequestSent } from '../contract/transport.js';

export interface SendProgress {
  /** Start rows on disk. */
  attempts: number;
  /** Of all tries together: a bundle that was turned away had left all the same. */
  request: RequestProgress;
}

export const nothingSent = (): SendProgress => ({ attempts: 0, request: 'unsent' });

export const noteSent = (progress: SendProgress, sent: RequestSent): void => {
  if (sent === 'whole') progress.request = 'sent';
  else if (progress.request === 'unsent') progress.request = 'partly_sent';
};

export interface Unanswered {
  readonly outcome: 'refused' | 'provider_failed';
  readonly code: Code;
  /** The end as a result; `null` for a signal's reason or a fault of ours, which is thrown on. */
  readonly told: ColdsealError | null;
  /** What was thrown, or the reason the caller gave for stopping. */
  readonly reason: unknown;
}

/** What a call that gave no answer ends as. `provider_failed` says: the call was made, and there is no answer to use. */
export const judgeUnanswered = (error: unknown, signal: AbortSignal, { request }: SendProgress): Unanswered => {
  const reason: unknown = signal.aborted ? signal.reason : error;
  const refusal = reason instanceof ColdsealError && isRefusal(reason.code) ? reason : null;
  const code = refusal?.code ?? (signal.aborted ? 'CANCELLED' : codedOr(reason).code);
  if (request === 'unsent') return { outcome: 'refused', code, told: refusal, reason };
  return { outcome: 'provider_failed', code, told: refusal === null ? null : afterSending(refusal, request), reason };
};

/** The refusal as it reads once something had left; its own words may say that nothing was sent. */
const afterSending = ({ code, message, facts }: ColdsealError, request: RequestProgress): ColdsealError =>
  new ColdsealError(code, `${PROGRESS_WORDS[request]} when the run ended: ${message}`, { facts });

const PROGRESS_WORDS: Readonly<Record<RequestProgress, string>> = {
  unsent: 'Nothing of the request had left',
  partly_sent: 'A part of the request had left',
  sent: 'The whole request had left',
  answered: 'The answer had come',
};

/** The line to a person who stopped a run: what has left cannot be called back, and may be billed. */
export const stoppedLine = (id: string, { request }: SendProgress): string =>
  `coldseal: ${PROGRESS_WORDS[request].toLowerCase()} when the run was stopped; no answer was kept (record ${id})`;

/** An answer that is whole, that its kind allows, and that could not be put where it belongs. */
export const unkept = (error: unknown): ColdsealError => {
  const { code, message, facts } = codedOr(error);
  return new ColdsealError(code, `The answer came and could not be kept: ${message}`, { cause: error, facts });
};

export const codedOr = (error: unknown): ColdsealError =>
  error instanceof ColdsealError
    ? error
    : new ColdsealError('INTERNAL', `the run failed for a reason without a code (${nameOf(error)})`, { cause: error });

/** Its class and its system code: a message could quote what it is about. */
const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
};
