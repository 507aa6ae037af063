/**
 * One try of a call: connect, send, read, and say whether another try is allowed.
 *
 * What happened is noted as it happens (`Seen`), because the rule on trying again asks exactly that: had anything of the
 * body left, and was the answer a whole one that turned the bundle away.
 */
import type { ColdsealError } from '../contract/error.js';
import type { SendRequest } from '../contract/transport.js';
import { type AnswerDraft, type DraftState, startAnswer, type WholeAnswer } from './answer-draft.js';
import { readAnswer } from './answer-reader.js';
import { readErrorBody } from './error-body.js';
import { readError } from './error-reader.js';
import type { StreamBounds } from './event-stream.js';
import { type AnswerHead, chatTarget, type Exchange, startExchange } from './exchange.js';
import { type Line, type LinePlan, openLine } from './open-line.js';
import { reportedName } from './quote.js';
import type { RequestBody } from './request-body.js';
import { namedWaitMs, type TryEnd } from './retry.js';
import type { Scrub } from './scrub.js';
import { type CallFacts, statusFailure } from './status-failure.js';
import type { Clock, LimitWatch, TimeLimits } from './time-limits.js';
import { asFailure, limitFailure, nothingSeen, redirectFailure, type Seen, tryEnd } from './try-failure.js';

export interface Bounds extends StreamBounds {
  readonly answerBytes: number;
  readonly errorBodyBytes: number;
}

export interface PreparedCall {
  readonly request: SendRequest;
  readonly body: RequestBody;
  readonly line: LinePlan;
  readonly scrub: Scrub;
  readonly limits: TimeLimits;
  readonly bounds: Bounds;
  readonly clock: Clock;
  readonly now: () => Date;
}

export interface TryReport {
  readonly result:
    | { readonly ok: true; readonly answer: WholeAnswer }
    | { readonly ok: false; readonly error: ColdsealError };
  readonly end: TryEnd;
  /** The provider accepted a connection. */
  readonly connected: boolean;
  readonly state: DraftState;
  readonly firstTokenMs: number | null;
}

/** `signal` aborts for the caller's abort and for every limit of `watch`. A caller's abort rejects with its reason. */
export const tryOnce = async (call: PreparedCall, watch: LimitWatch, signal: AbortSignal): Promise<TryReport> => {
  const startMs = call.clock();
  const seen = nothingSeen();
  const draft = startAnswer({
    ...factsOf(call),
    denylist: call.request.denylist,
    runBytes: call.body.runBytes,
    mostAnswerBytes: call.bounds.answerBytes,
    scrub: call.scrub,
  });
  const report = (result: TryReport['result'], end: TryEnd): TryReport => ({
    result,
    end,
    connected: seen.connected,
    state: { ...draft.state(), id: seen.generationId ?? draft.state().id },
    firstTokenMs: seen.firstTokenMs,
  });
  try {
    const answer = await callThrough(call, watch, signal, seen, draft, startMs);
    return report({ ok: true, answer }, { kind: 'final' });
  } catch (error) {
    call.request.signal.throwIfAborted();
    if (seen.stopped !== null) throw seen.stopped.reason;
    const failure = limitFailure(watch, call.request.provider.totalTimeoutMs, seen) ?? asFailure(error, seen);
    return report({ ok: false, error: failure }, tryEnd(failure, seen));
  }
};

const callThrough = async (
  call: PreparedCall,
  watch: LimitWatch,
  signal: AbortSignal,
  seen: Seen,
  draft: AnswerDraft,
  startMs: number,
): Promise<WholeAnswer> => {
  const { limits } = call;
  watch.start('connect', limits.connectMs);
  const line = await openLine(call.line, signal, () => {
    seen.connected = true;
  });
  watch.stop('connect');
  await askBeforeBody(call, line, seen);
  watch.start('upload', limits.idleMs);
  const exchange = startExchange(chatTarget(call.request, call.body.contentLength), call.body, line, {
    onSlice: () => {
      seen.bodyLeft = true;
      call.request.onSent?.('part');
      watch.touch('upload');
    },
    onSent: () => {
      call.request.onSent?.('whole');
      watch.stop('upload');
      watch.start('first-byte', limits.firstByteMs);
    },
  });
  const abort = (): void => {
    void exchange.close(true);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const head = await exchange.head;
    watch.stop('upload');
    watch.stop('first-byte');
    seen.generationId = reportedName(head.headers['x-generation-id'], call.scrub);
    if (head.status < 200 || head.status > 299) {
      throw await failedStatus(call, head, watch, signal, seen);
    }
    watch.start('idle', limits.idleMs);
    watch.start('event', limits.eventMs);
    const end = await readAnswer(head, draft, call.bounds, call.scrub, {
      onRead: () => watch.touch('idle'),
      onEvent: (withText) => {
        watch.touch('event');
        seen.firstTokenMs ??= withText ? call.clock() - startMs : null;
      },
      isEnded: () => signal.aborted,
    });
    return draft.finish(end);
  } finally {
    signal.removeEventListener('abort', abort);
    await closeQuietly(exchange, signal.aborted);
  }
};

/** Nothing of the body has left yet; a caller that stops it here has sent nothing. */
const askBeforeBody = async ({ request }: PreparedCall, line: Line, seen: Seen): Promise<void> => {
  try {
    await request.beforeBody?.();
  } catch (reason) {
    seen.stopped = { reason };
    line.socket.destroy();
    throw reason;
  }
};

/** The head's promise may still be pending or rejected when the call ends another way. */
const closeQuietly = async (exchange: Exchange, dropped: boolean): Promise<void> => {
  exchange.head.catch(() => undefined);
  await exchange.close(dropped);
};

const failedStatus = async (
  call: PreparedCall,
  head: AnswerHead,
  watch: LimitWatch,
  signal: AbortSignal,
  seen: Seen,
): Promise<Error> => {
  if (head.status >= 300 && head.status < 400) {
    return redirectFailure(head, call.scrub);
  }
  watch.start('error-body', call.limits.errorBodyMs);
  const text = await readErrorBody(head, call.bounds.errorBodyBytes);
  watch.stop('error-body');
  if (signal.aborted && watch.expired()?.name !== 'error-body') {
    return new Error('ended');
  }
  const error = text === null ? null : readError(text, call.scrub);
  if (error !== null && error.cause !== 'quota' && (head.status === 429 || head.status === 503)) {
    seen.turnedAway = { waitMs: namedWaitMs(head.headers, call.now().getTime()) };
  }
  return statusFailure(head.status, error, factsOf(call));
};

const factsOf = (call: PreparedCall): CallFacts => ({
  brief: call.request.brief,
  messageBytes: call.body.messageBytes,
  credentialName: call.request.credential?.name ?? null,
});
