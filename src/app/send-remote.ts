/** The remote way: a bundle is assembled, and a plan describes it or a send hands it to the transport. */

import { admit } from '../admission/admit.js';
import { chooseRoute } from '../admission/choose-route.js';
import { chooseSettings } from '../admission/choose-settings.js';
import { destinationOf, requireSameConsent } from '../admission/destination.js';
import { requireKind } from '../admission/require-kind.js';
import { consentRefusal } from '../config/judge-consent.js';
import { isProviderFailure } from '../contract/codes.js';
import type { Route } from '../contract/route.js';
import type { Credential } from '../contract/transport.js';
import { VERSION } from '../contract/version.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import type { BundleRun } from '../pipeline/bundle-run.js';
import { outcomeDocument } from '../pipeline/outcome.js';
import type { Preparation } from '../pipeline/prepare-send.js';
import { planBundle, runBundle } from '../pipeline/run-bundle.js';
import type { RunResult, WholeAnswer } from '../pipeline/run-result.js';
import { composeRun } from './compose-run.js';
import { consentOfRun, consentTo, requireConsent } from './consent.js';
import { exitOf } from './exit-of.js';
import { clearAnswer, keepAnswerIn, keepDocuments, reviewsFolder } from './keep-answer.js';
import { openRunScanner } from './open-run-scanner.js';
import { openTransport, proxyShown } from './open-transport.js';
import { assemblyOf, planReadingRun, planRun, withheldPaths } from './prepare-run.js';
import { credentialOfRun } from './run-credential.js';
import { ownersRules } from './scan-profile.js';
import type { OpenSend } from './send-bundle.js';
import { writeHostRequest } from './send-host.js';
import type { SendResult } from './send-result.js';
import { systemMessage } from './system-message.js';

export type RemoteSend = OpenSend & { readonly route: Route & { readonly kind: 'provider' } };

export const sendRemote = async (send: RemoteSend): Promise<SendResult> => {
  const { surroundings, place, words, project, route, observe, reading } = send;
  const settings = chooseSettings({ route, typed: words.settings, settings: place.settings });
  if (!words.plan) await requireConsent(route.provider, place.settings, surroundings);
  const credential = await credentialOfRun({ surroundings, place, provider: route.provider, isPlan: words.plan });
  const system = await systemMessage(surroundings, words, requireKind(route.agent), place.settings.machineFolder);
  observe({ kind: 'stage', stage: 'plan' });
  const isWithheld = withheldPaths(place, words.kind, project);
  const composed = await composeRun(place.repository, words, { kind: 'objects', isWithheld }, surroundings.signal);
  send.explainer.range(composed.range);
  const definitionSha256 = (system.digests['definition'] ?? '').slice('sha256:'.length);
  const runPlan =
    reading === null
      ? await planRun(place, words, project, composed)
      : planReadingRun(place, project, reading, { model: route.model, definitionSha256 });
  const owners = await ownersRules(place.settings.own);
  for (const note of owners.notes) surroundings.say(`coldseal: ${note}`);
  const scanner = await openRunScanner(surroundings, place.settings.own, send.begun);
  try {
    const assembly = await assemblyOf({
      surroundings,
      place,
      words,
      project,
      runPlan,
      scanner,
      owners,
      system: system.bytes,
      observe,
    });
    send.explainer.scanner(assembly.profile, scanner.threads);
    const preparation: Preparation = { assembly, route, settings, expect: words.expect };
    const result = words.plan
      ? await planWithConsent(send, preparation)
      : await runRemote(send, composed, preparation, credential, {
          ...system.digests,
          ...(await commitRead(send, composed)),
          ...(reading === null ? {} : { manifest: `sha256:${reading.manifest.sha256}` }),
          ...(send.job?.id === undefined ? {} : { job: send.job.id }),
          rules: assembly.profile.digest,
        });
    return await resultOf(send, result);
  } finally {
    await scanner.close();
  }
};

/** A range says which commit was read; without one the record does, so that the bundle can be made again. */
const commitRead = async (
  { place }: RemoteSend,
  { range }: ComposedKind,
): Promise<Readonly<Record<string, string>>> => {
  const commit = range === null ? await place.repository.head() : null;
  return commit === null ? {} : { commit };
};

/** A plan says what the send would be refused for, the consent first: it is asked before anything is read. */
const planWithConsent = async (
  { surroundings, place, route, id }: RemoteSend,
  preparation: Preparation,
): Promise<RunResult> => {
  const consent = await consentTo(route.provider, place.settings, surroundings);
  if (consent.kind === 'first') {
    const { name, endpoint } = route.provider;
    surroundings.say(
      `coldseal: nothing was sent to ${name} (${endpoint.host}) yet; the first send pins it as it is now`,
    );
  }
  const result = await planBundle({ ...preparation, id });
  const error = consentRefusal(consent, route.provider.name);
  if (error === null) return result;
  return { outcome: 'refused', id, route, code: error.code, error, bundle: result.bundle, isRecorded: false };
};

const runRemote = async (
  send: RemoteSend,
  { receipt, documents }: ComposedKind,
  preparation: Preparation,
  credential: Credential | null,
  digests: Readonly<Record<string, string>>,
): Promise<RunResult> => {
  const { surroundings, place, words, project, route, records, id, observe } = send;
  const planned = destinationOf({ route, kind: words.kind, project, settings: place.settings });
  const consent = consentOfRun(surroundings);
  const answerPlace = { folder: reviewsFolder(place.repository, surroundings), kind: words.kind, stem: receipt ?? id };
  const run: BundleRun = {
    ...preparation,
    id,
    verb: words.verb,
    credential,
    denylist: place.settings.denylist.map(({ entry }) => entry),
    proxy: await proxyShown(route.provider.endpoint, surroundings),
    digests,
    versions: { coldseal: VERSION, node: process.versions.node, git: await place.repository.gitVersion() },
    mayFallBack: route.origin !== 'flag' && words.expect === null && !words.isAwaited,
    say: surroundings.say,
    confirmConsent: async () => {
      const settings = await place.readAgain();
      const { agent, kind, routes: typed } = words;
      requireSameConsent({ planned, agent, typed, kind, roots: project.roots, shallow: project.shallow, settings });
      const again = chooseRoute({ agent, typed, settings }).route;
      admit({ route: again, kind, settings });
      if (again.kind === 'provider') await consent.confirm(again.provider, settings);
    },
    ...(send.job === null ? {} : { beforeBody: send.job.beforeBody }),
    prepareAnswer: async (bundle) => {
      await clearAnswer(answerPlace);
      await keepDocuments(answerPlace, documents, bundle);
    },
    keepAnswer: keepAnswerIn(answerPlace, id),
  };
  const transport = consent.around(await openTransport(surroundings, route.provider, place.repository.checkout));
  return runBundle(run, { transport, records, observe });
};

const resultOf = async (send: RemoteSend, result: RunResult): Promise<SendResult> => {
  const document = outcomeDocument(result, send.records.path());
  const answer = shownAnswer(result);
  if (result.outcome === 'host') {
    const { paths } = await writeHostRequest(send);
    send.surroundings.say(
      `coldseal: ${result.message} The work is handed to the host: the request is written to ${paths.join(', ')}, unscanned`,
    );
  }
  return {
    exit: exitOf(document),
    document,
    answerText: answer?.text ?? null,
    sealed: result.outcome === 'planned' ? result.sealed : null,
    notes: answer?.notes ?? [],
  };
};

/** What the person is shown: also an answer that was paid for and could not be put where it belongs. */
const shownAnswer = (result: RunResult): WholeAnswer | null => {
  if (result.outcome === 'sent') return result.answer;
  if (result.outcome !== 'provider_failed' || isProviderFailure(result.code)) return null;
  return result.answer?.ok === true ? result.answer : null;
};
