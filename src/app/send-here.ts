/**
 * What stays on this machine: request files for the host, and for a provider on this machine the same request sent to it,
 * unscanned and uncapped. Nothing about bundles applies.
 */
import { chooseSettings } from '../admission/choose-settings.js';
import { requireKind } from '../admission/require-kind.js';
import { resolveCredential } from '../config/resolve-credential.js';
import { isProviderFailure } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { RowBody } from '../contract/record.js';
import type { Route } from '../contract/route.js';
import type { Answer, SendRequest } from '../contract/transport.js';
import { VERSION } from '../contract/version.js';
import { writeHostFile } from '../dispatch/host-files.js';
import { readParkedFile } from '../kinds/parked-file.js';
import { routeDocument } from '../pipeline/outcome.js';
import { recordedRoute } from '../pipeline/recorded-bundle.js';
import type { KeptAnswer } from '../pipeline/run-result.js';
import { recordedUsage } from '../pipeline/run-rows.js';
import { composeRun } from './compose-run.js';
import { consentOfRun, needsConsent, requireConsent } from './consent.js';
import { exitOf } from './exit-of.js';
import { hostRequest } from './host-request.js';
import { clearAnswer, keepAnswerIn, reviewsFolder } from './keep-answer.js';
import { openTransport } from './open-transport.js';
import type { OpenSend } from './send-bundle.js';
import type { OutcomeDocument, SendResult } from './send-result.js';
import { systemMessage } from './system-message.js';

type HereSend = OpenSend & { readonly route: Route };

interface WrittenRequest {
  readonly system: Uint8Array;
  readonly message: Uint8Array;
  /** From the work tree's root. */
  readonly paths: readonly string[];
  /** Receipt or record id, the name of the run's files. */
  readonly stem: string;
}

/**
 * Writes the request files: a parked bundle as it is, the documents that the kind composed, or for a kind without any `<record id>.request.md`, the
 * system message and the items as they are. `STATE_UNSAFE`.
 */
export const writeHostRequest = async (send: HereSend): Promise<WrittenRequest> => {
  const { surroundings, place, words, project, route, id, reading } = send;
  const { repository, settings } = place;
  const system = (await systemMessage(surroundings, words, requireKind(route.agent), settings.machineFolder)).bytes;
  const folder = reviewsFolder(repository, surroundings);
  if (reading !== null) {
    const message = await readParkedFile(reading.bundle);
    const path = await writeHostFile(folder, `${id}.request.json`, message);
    return { system, message, paths: [path], stem: id };
  }
  const composed = await composeRun(repository, words, { kind: 'work-tree' }, surroundings.signal);
  if (composed.documents.length === 0) {
    const message = await hostRequest(place, words, project, composed, surroundings.signal);
    const path = await writeHostFile(folder, `${id}.request.md`, Buffer.concat([system, message]));
    return { system, message, paths: [path], stem: id };
  }
  const stem = composed.receipt ?? id;
  const paths: string[] = [];
  for (const { suffix, bytes } of composed.documents) {
    paths.push(await writeHostFile(folder, `${stem}.${suffix}`, bytes));
  }
  return { system, message: Buffer.concat(composed.documents.map(({ bytes }) => bytes)), paths, stem };
};

export const sendHere = async (send: HereSend): Promise<SendResult> => {
  const { route, words } = send;
  if (words.plan) return ended({ outcome: 'planned', route: routeDocument(route) });
  return route.kind === 'host' ? handToHost(send) : sendLocal(send, route);
};

const handToHost = async (send: HereSend): Promise<SendResult> => {
  const { surroundings, words, route, records, id } = send;
  const written = await writeHostRequest(send);
  await records.append(id, { event: 'host', verb: words.verb, route: recordedRoute(route, null), kind: words.kind });
  const why =
    route.origin === 'none' ? `; ${words.agent} has no route (\`coldseal init\` writes a first machine file)` : '';
  surroundings.say(
    `coldseal: ${words.kind}: the request is written to ${written.paths.join(', ')}, unscanned; the host decides who reads it${why}`,
  );
  return ended({ outcome: 'host', route: routeDocument(route), ...recordOf(send) });
};

const sendLocal = async (send: HereSend, route: Route & { readonly kind: 'provider' }): Promise<SendResult> => {
  const { surroundings, place, words, records, id } = send;
  const { environment, uid, signal } = surroundings;
  const settings = chooseSettings({ route, typed: words.settings, settings: place.settings });
  const consent = consentOfRun(surroundings);
  if (needsConsent(route.provider)) await requireConsent(route.provider, place.settings, surroundings);
  const name = route.provider.credential;
  const credential =
    name === null ? null : await resolveCredential(name, { settings: place.settings, environment, uid });
  const written = await writeHostRequest(send);
  const folder = reviewsFolder(place.repository, surroundings);
  const answerPlace = { folder, kind: words.kind, stem: written.stem };
  await clearAnswer(answerPlace);
  const { host } = route.provider.endpoint;
  surroundings.say(
    `coldseal: ${words.kind}: sends ${written.message.length} bytes, unscanned, to ${route.provider.name} (${host}), which is on this machine`,
  );
  const transport = await openTransport(surroundings, route.provider, place.repository.workTree);
  const request: SendRequest = {
    provider: route.provider,
    model: route.model,
    brief: { kind: 'local', system: written.system, message: written.message },
    settings,
    credential,
    denylist: place.settings.denylist.map(({ entry }) => entry),
    beforeConnect: async (attempt) => {
      if (needsConsent(route.provider)) await consent.confirm(route.provider, place.settings);
      await records.append(id, startRow(send, attempt));
    },
    signal,
  };
  let answer: Answer;
  try {
    answer = await consent.around(transport).send(request);
  } catch (error) {
    // A signal during the call: the start row gets its end, as on the remote way.
    if (signal.aborted) {
      const cancelled = { event: 'end', outcome: 'refused', code: 'CANCELLED', attempts: 1, durations_ms: {} } as const;
      await records.append(id, cancelled);
    }
    throw error;
  }
  return endLocal(send, route, answer, answerPlace);
};

/** What an answer's file names in the place of a bundle's digest: nothing was framed. */
const NO_BUNDLE = { digest: 'none' };

const startRow = ({ words, route, place }: HereSend, attempt: number): RowBody => ({
  event: 'start',
  attempt,
  verb: words.verb,
  route: recordedRoute(route, null),
  bundle: null,
  digests: {},
  versions: { coldseal: VERSION, node: process.versions.node, git: place.repository.gitVersion },
  durations_ms: {},
  scanned_bytes: 0,
});

const endLocal = async (
  send: HereSend,
  route: Route & { readonly kind: 'provider' },
  answer: Answer,
  answerPlace: Parameters<typeof clearAnswer>[0],
): Promise<SendResult> => {
  const { records, id, words, surroundings } = send;
  const base = {
    attempts: answer.attempts,
    durations_ms: { provider: Math.round(answer.durationMs) },
    ...(answer.modelReported === null ? {} : { model_reported: answer.modelReported }),
    ...(answer.usage === null ? {} : { usage: recordedUsage(answer.usage) }),
  };
  const failed = async (code: (Answer & { ok: false })['code'], message: string): Promise<SendResult> => {
    await records.append(id, { event: 'end', outcome: 'provider_failed', code, ...base });
    if (answer.ok || !answer.neverConnected || route.origin === 'flag' || words.isAwaited || words.expect !== null) {
      return ended({ outcome: 'provider_failed', code, message, route: routeDocument(route), ...recordOf(send) });
    }
    surroundings.say(`coldseal: ${message} The work is handed to the host.`);
    return ended({ outcome: 'host', code, message, route: routeDocument(route), ...recordOf(send) });
  };
  if (!answer.ok) return failed(answer.code, answer.message);
  let kept: KeptAnswer;
  try {
    kept = await keepAnswerIn(answerPlace, id)(answer, NO_BUNDLE);
  } catch (error) {
    if (error instanceof ColdsealError && isProviderFailure(error.code)) return failed(error.code, error.message);
    throw error;
  }
  await records.append(id, {
    event: 'end',
    outcome: 'sent',
    finish_reason: answer.finishReason,
    answer_bytes: kept.bytes,
    ...base,
  });
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

const recordOf = ({ records, id }: HereSend): Pick<OutcomeDocument, 'record'> => {
  const path = records.path();
  return path === null ? {} : { record: { id, path } };
};

const ended = (document: OutcomeDocument): SendResult => ({
  exit: exitOf(document),
  document,
  answerText: null,
  sealed: null,
  notes: [],
});
