/**
 * A send to a provider on this machine: the request files as they are, unscanned and uncapped. Its record says what a
 * remote one's says of the call: a row before each connection, one at the end, and how far the request had come.
 */
import { chooseSettings } from '../admission/choose-settings.js';
import { isProviderFailure } from '../contract/codes.js';
import type { RowBody } from '../contract/record.js';
import type { Route } from '../contract/route.js';
import type { Answer, SendRequest } from '../contract/transport.js';
import { VERSION } from '../contract/version.js';
import { routeDocument } from '../pipeline/outcome.js';
import { recordedRoute } from '../pipeline/recorded-bundle.js';
import type { KeptAnswer, WholeAnswer } from '../pipeline/run-result.js';
import { endRow, recordedUsage } from '../pipeline/run-rows.js';
import {
  codedOr,
  judgeUnanswered,
  noteSent,
  nothingSent,
  type SendProgress,
  stoppedLine,
  unkept,
} from '../pipeline/send-progress.js';
import { consentOfRun, needsConsent, requireConsent } from './consent.js';
import { type AnswerPlace, clearAnswer, keepAnswerIn, reviewsFolder } from './keep-answer.js';
import { openTransport } from './open-transport.js';
import { credentialOfRun } from './run-credential.js';
import { ended, type HereSend, recordOf, writeHostRequest } from './send-host.js';
import type { SendResult } from './send-result.js';

type ProviderRoute = Route & { readonly kind: 'provider' };

/** One call with what its end needs. */
interface LocalCall {
  readonly send: HereSend;
  readonly route: ProviderRoute;
  readonly answerPlace: AnswerPlace;
  readonly progress: SendProgress;
}

export const sendLocal = async (send: HereSend, route: ProviderRoute): Promise<SendResult> => {
  const { surroundings, place, words, records, id } = send;
  const { signal } = surroundings;
  const settings = chooseSettings({ route, typed: words.settings, settings: place.settings });
  const consent = consentOfRun(surroundings);
  if (needsConsent(route.provider)) await requireConsent(route.provider, place.settings, surroundings);
  const credential = await credentialOfRun({ surroundings, place, provider: route.provider, isPlan: false });
  const written = await writeHostRequest(send);
  const folder = reviewsFolder(place.repository, surroundings);
  const answerPlace = { folder, kind: words.kind, stem: written.stem };
  await clearAnswer(answerPlace);
  const { host } = route.provider.endpoint;
  surroundings.say(
    `coldseal: ${words.kind}: sends ${written.message.length} bytes, unscanned, to ${route.provider.name} (${host}), which is on this machine`,
  );
  const transport = await openTransport(surroundings, route.provider, place.repository.checkout);
  const call: LocalCall = { send, route, answerPlace, progress: nothingSent() };
  const request: SendRequest = {
    provider: route.provider,
    model: route.model,
    brief: { kind: 'local', system: written.system, message: written.message },
    settings,
    credential,
    denylist: place.settings.denylist.map(({ entry }) => entry),
    beforeConnect: async (attempt) => {
      if (needsConsent(route.provider)) await consent.confirm(route.provider, place.settings);
      await records.append(id, await startRow(send, attempt));
      call.progress.attempts += 1;
    },
    ...(send.job === null ? {} : { beforeBody: send.job.beforeBody }),
    onSent: (how) => noteSent(call.progress, how),
    signal,
  };
  let answer: Answer;
  try {
    answer = await consent.around(transport).send(request);
    if (!answer.ok) signal.throwIfAborted();
  } catch (error) {
    return endUnanswered(call, error);
  }
  send.explainer.answered(answer.durationMs);
  return answer.ok ? endAnswered(call, answer) : endFailed(call, answer);
};

/** What an answer's file names in the place of a bundle's digest: nothing was framed. */
const NO_BUNDLE = { digest: 'none' };

const startRow = async ({ words, route, place, job }: HereSend, attempt: number): Promise<RowBody> => ({
  event: 'start',
  attempt,
  verb: words.verb,
  route: recordedRoute(route, null),
  bundle: null,
  digests: job?.id === undefined ? {} : { job: job.id },
  versions: { coldseal: VERSION, node: process.versions.node, git: await place.repository.gitVersion() },
  durations_ms: {},
  scanned_bytes: 0,
});

const endAnswered = async (call: LocalCall, answer: WholeAnswer): Promise<SendResult> => {
  const { send, route, answerPlace, progress } = call;
  progress.request = 'answered';
  let kept: KeptAnswer;
  try {
    kept = await keepAnswerIn(answerPlace, send.id)(answer, NO_BUNDLE);
  } catch (error) {
    const isInvalid = isProviderFailure(codedOr(error).code);
    const { code, message } = isInvalid ? codedOr(error) : unkept(error);
    await close(call, endRow('provider_failed', code, answer, progress, null));
    const failed = ended({ outcome: 'provider_failed', code, message, route: routeDocument(route), ...recordOf(send) });
    return isInvalid ? failed : { ...failed, answerText: answer.text, notes: answer.notes };
  }
  await close(call, endRow('sent', null, answer, progress, kept.bytes));
  const usage = answer.usage === null ? {} : { usage: recordedUsage(answer.usage) };
  return {
    ...ended({
      outcome: 'sent',
      route: routeDocument(route, answer.modelReported),
      answer: { ...answerAt(kept), finish_reason: answer.finishReason, ...usage },
      ...recordOf(send),
    }),
    answerText: answer.text,
    notes: answer.notes,
  };
};

const answerAt = ({ path, bytes }: KeptAnswer) => ({ ...(path === null ? {} : { path }), bytes });

const endFailed = async (call: LocalCall, answer: Extract<Answer, { readonly ok: false }>): Promise<SendResult> => {
  const { send, route, progress } = call;
  const { words, surroundings } = send;
  const { code, message } = answer;
  await close(call, endRow('provider_failed', code, answer, progress, null));
  const document = { code, message, route: routeDocument(route), ...recordOf(send) };
  if (!answer.neverConnected || route.origin === 'flag' || words.isAwaited || words.expect !== null) {
    return ended({ outcome: 'provider_failed', ...document });
  }
  surroundings.say(`coldseal: ${message} The work is handed to the host.`);
  return ended({ outcome: 'host', ...document });
};

/** Before a start row the refusal is recorded by whoever called; afterwards the start row gets its end here. */
const endUnanswered = async (call: LocalCall, error: unknown): Promise<SendResult> => {
  const { send, route, progress } = call;
  const { surroundings, id } = send;
  const { outcome, code, told, reason } = judgeUnanswered(error, surroundings.signal, progress);
  if (progress.attempts === 0) throw reason;
  await close(call, endRow(outcome, code, null, progress, null));
  if (told !== null) {
    return ended({ outcome, code, message: told.message, route: routeDocument(route), ...recordOf(send) });
  }
  if (outcome === 'provider_failed') surroundings.say(stoppedLine(id, progress));
  throw reason;
};

const close = async ({ send }: LocalCall, row: RowBody): Promise<void> => {
  try {
    await send.records.append(send.id, row);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : 'unknown fault';
    send.surroundings.say(`coldseal: the end of ${send.id} could not be recorded: ${why}`);
  }
};
