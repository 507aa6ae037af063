/**
 * From words and settings to one prepared run on a remote provider: project, cap, list, range, plan, scan profile. What a
 * run may carry and where it may go is settled here, before an item is read.
 */

import { chooseCap, chooseList, chooseWithhold } from '../admission/choose-bundle-limits.js';
import { compileWithheld } from '../admission/withheld-paths.js';
import { knownCredentialValues } from '../config/resolve-credential.js';
import type { Cap } from '../contract/bundle.js';
import type { ItemPlan, KindName } from '../contract/item.js';
import type { Observe } from '../contract/observer.js';
import type { PathMatch } from '../contract/path-glob.js';
import type { Repository } from '../contract/repository.js';
import type { Scanner } from '../contract/scan.js';
import type { ComposedKind } from '../kinds/composed-kind.js';
import { openReadingItems, type ParkedReading, planReading, type ReadingDispatch } from '../kinds/parked-reading.js';
import type { AssemblyRequest } from '../pipeline/assembly-request.js';
import { planBundle } from '../plan/plan-bundle.js';
import { openItemsAhead } from '../source/open-items-ahead.js';
import type { ProjectOfRun } from './choose-project.js';
import { allowedFingerprints } from './fingerprints.js';
import type { Place } from './open-place.js';
import { familiesOf, identityOf, makeProfile, type OwnersRules } from './scan-profile.js';
import type { SendWords } from './send-words.js';
import type { Surroundings } from './surroundings.js';

/** How far past the cap a plan goes on, so that it can say by how much. */
const PLAN_CAPS = 4;

export interface RunPlan {
  readonly cap: Cap;
  readonly plan: ItemPlan;
  readonly openItems: AssemblyRequest['openItems'];
}

/** A plan whose items are read from the repository. */
export const repositoryRunPlan = (repository: Repository, cap: Cap, plan: ItemPlan): RunPlan => ({
  cap,
  plan,
  openItems: (signal) => openItemsAhead({ plan, repository, capBytes: cap.bytes, signal }),
});

/** Which paths are withheld from a kind's bundle of this project. */
export const withheldPaths = (
  { settings }: Pick<Place, 'settings'>,
  kind: KindName,
  project: ProjectOfRun,
): PathMatch =>
  compileWithheld({
    withhold: chooseWithhold(settings.bundles, project),
    list: chooseList(kind, project).entries,
  });

/** Names and sizes alone: `INPUT_MISSING`, `ITEM_TOO_LARGE`, `ITEM_UNREADABLE`. */
export const planRun = async (
  { repository, settings }: Place,
  { kind }: Pick<SendWords, 'kind'>,
  project: ProjectOfRun,
  { prepared, range }: Pick<ComposedKind, 'prepared' | 'range'>,
): Promise<RunPlan> => {
  const cap = chooseCap(settings.bundles, project);
  const list = chooseList(kind, project);
  const plan = await planBundle({
    kind,
    entries: list.entries,
    listOrigin: list.origin,
    range,
    repository,
    prepared,
    isWithheld: withheldPaths({ settings }, kind, project),
    capBytes: cap.bytes,
  });
  return repositoryRunPlan(repository, cap, plan);
};

/** The items of a parked run; its manifest tells their sizes. `ITEM_TOO_LARGE`. */
export const planReadingRun = (
  { settings }: Pick<Place, 'settings'>,
  project: ProjectOfRun,
  reading: ParkedReading,
  destination: Pick<ReadingDispatch, 'model' | 'definitionSha256'>,
): RunPlan => {
  const cap = chooseCap(settings.bundles, project);
  const listOrigin = chooseList('reading', project).origin;
  const plan = planReading(reading, { ...destination, listOrigin, capBytes: cap.bytes });
  return { cap, plan, openItems: (signal) => openReadingItems(reading, plan, signal) };
};

export interface AssemblyParts {
  readonly surroundings: Surroundings;
  readonly place: Place;
  readonly words: Pick<SendWords, 'kind' | 'plan'>;
  readonly project: ProjectOfRun;
  readonly runPlan: RunPlan;
  readonly scanner: Scanner;
  readonly owners: OwnersRules;
  readonly system: Uint8Array;
  readonly observe: Observe;
}

/** The assembly's request; owner's rules were loaded by the caller, so that a fault in them is told before a thread starts. */
export const assemblyOf = async (parts: AssemblyParts): Promise<AssemblyRequest> => {
  const { surroundings, place, words, project, runPlan, scanner, owners, system, observe } = parts;
  const { repository, settings } = place;
  const { plan, cap, openItems: open } = runPlan;
  const profile = makeProfile({
    rulesDigest: scanner.rulesDigest,
    families: familiesOf(words.kind, settings.own.families),
    identity: identityOf(surroundings, await repository.identity()),
    ownerRules: owners.rules,
  });
  const credentials = await knownCredentialValues(settings, surroundings.environment, surroundings.uid);
  return {
    plan,
    openItems: open,
    scanner,
    profile,
    system,
    cap,
    knownValues: credentials.map(({ name, value }) => ({ name, bytes: Buffer.from(value, 'utf8') })),
    isAllowed: await allowedFingerprints(settings, surroundings.uid),
    project: project.key,
    stopAtBytes: words.plan ? cap.bytes * PLAN_CAPS : cap.bytes,
    inFlightBytes: settings.own.inFlightBytes,
    signal: surroundings.signal,
    observe,
    monotonicMs: surroundings.monotonicMs,
  };
};
