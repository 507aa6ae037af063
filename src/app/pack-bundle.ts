/**
 * A bundle that goes nowhere: the same list, scan, blanking and cap as a send, without an agent, a provider or an
 * admission. What it would refuse a send for, it refuses here too; only a refusal leaves a row in the record.
 */
import { chooseCap } from '../admission/choose-bundle-limits.js';
import type { SealedBundle } from '../contract/bundle.js';
import { type Code, isRefusal } from '../contract/codes.js';
import type { BundleDocument } from '../contract/documents.js';
import { ColdsealError, type ErrorFacts } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import { countItems } from '../contract/item-bounds.js';
import type { Observe } from '../contract/observer.js';
import { assembleBundle } from '../pipeline/assemble-bundle.js';
import { bundleDocument } from '../pipeline/outcome.js';
import { recordRefusal } from '../pipeline/record-refusal.js';
import { planBundle } from '../plan/plan-bundle.js';
import { readsRange } from '../plan/resolve-range.js';
import type { BegunThreads } from '../pool/begun-threads.js';
import { newRecordId } from '../record/record-id.js';
import { type ProjectOfRun, projectOf } from './choose-project.js';
import { composeRun } from './compose-run.js';
import { type Place, withPlace } from './open-place.js';
import { openRunRecords } from './open-records.js';
import { openRunScanner } from './open-run-scanner.js';
import { beginScanner } from './open-scanner.js';
import { packedPaths } from './pack-paths.js';
import { assemblyOf, planRun, type RunPlan, repositoryRunPlan, withheldPaths } from './prepare-run.js';
import { ownersRules } from './scan-profile.js';
import type { SendWords } from './send-words.js';
import type { Surroundings } from './surroundings.js';
import { tellNotices } from './tell-notices.js';

export interface PackWords extends Pick<SendWords, 'range' | 'intent' | 'from' | 'to'> {
  readonly kind: KindName;
  /** As typed; the kind's own list when there is none. */
  readonly paths: readonly string[];
}

export interface PackDocument {
  readonly outcome: 'packed' | 'refused';
  readonly code?: Code;
  readonly message?: string;
  readonly facts?: ErrorFacts;
  readonly bundle?: BundleDocument;
  readonly record?: { readonly id: string; readonly path: string };
}

export interface PackResult {
  readonly document: PackDocument;
  /** `null` when it was refused. */
  readonly sealed: SealedBundle | null;
}

/** No agent's definition stands before a bundle that nobody is asked about. */
const NO_SYSTEM = new Uint8Array(0);

/** Rejects with a configuration refusal, a signal's reason or a fault of ours; every other refusal is a result. */
export const packBundle = (surroundings: Surroundings, words: PackWords, observe: Observe): Promise<PackResult> =>
  withPlace(surroundings, async (place) => {
    tellNotices(surroundings, place.settings.notices);
    const known: { project: ProjectOfRun | null } = { project: null };
    // Loads its tables while git is asked.
    const begun = beginScanner(surroundings);
    try {
      const readsDefault = words.paths.length === 0 && words.range === null && readsRange(words.kind);
      place.repository.lookAhead({ branch: readsDefault });
      known.project = await projectOf(place);
      const sealed = await pack({ surroundings, place, words, project: known.project, begun, observe });
      return { document: { outcome: 'packed', bundle: bundleDocument({ description: sealed }) }, sealed };
    } catch (error) {
      // Waited for here: what ends below would leave its fault without a listener.
      return await refuse(error, surroundings, place, words, known.project);
    } finally {
      await begun?.drop();
    }
  });

interface OpenPack {
  readonly surroundings: Surroundings;
  readonly place: Place;
  readonly words: PackWords;
  readonly project: ProjectOfRun;
  /** The first scan thread. */
  readonly begun: BegunThreads | null;
  readonly observe: Observe;
}

const pack = async (run: OpenPack): Promise<SealedBundle> => {
  const { surroundings, place, words, project, begun, observe } = run;
  observe({ kind: 'stage', stage: 'plan' });
  const runPlan =
    words.paths.length === 0
      ? await planKind(surroundings, place, words, project)
      : await planPaths(surroundings, place, words, project);
  const owners = await ownersRules(place.settings.own);
  for (const note of owners.notes) surroundings.say(`coldseal: ${note}`);
  const scanner = await openRunScanner(surroundings, place.settings.own, begun);
  try {
    const assembled = await assembleBundle(
      await assemblyOf({
        surroundings,
        place,
        words: { kind: words.kind, plan: false },
        project,
        runPlan,
        scanner,
        owners,
        system: NO_SYSTEM,
        observe,
      }),
    );
    if (assembled.kind === 'sealed') return assembled.bundle;
    throw assembled.refusal;
  } finally {
    await scanner.close();
  }
};

const planKind = async (
  surroundings: Surroundings,
  place: Place,
  words: PackWords,
  project: ProjectOfRun,
): Promise<RunPlan> => {
  if (words.kind === 'reading') {
    throw new ColdsealError('USAGE', 'a reading is no list of files: `coldseal reading assemble` parks its bundle');
  }
  const isWithheld = withheldPaths(place, words.kind, project);
  const readFrom = { kind: 'objects', isWithheld } as const;
  return planRun(place, words, project, await composeRun(place.repository, words, readFrom, surroundings.signal));
};

const planPaths = async (
  surroundings: Surroundings,
  { repository, settings }: Place,
  { kind, paths }: PackWords,
  project: ProjectOfRun,
): Promise<RunPlan> => {
  const cap = chooseCap(settings.bundles, project);
  const byPath = withheldPaths({ settings }, kind, project);
  const count = countItems('The bundle would have', 'Name fewer PATHs.');
  const { items, isWithheld } = await packedPaths(repository, surroundings.folder, paths, byPath, count);
  const plan = await planBundle({
    kind,
    entries: [{ kind: 'input', input: 'path' }],
    listOrigin: 'owner',
    range: null,
    repository,
    prepared: new Map([['path', items]]),
    isWithheld,
    capBytes: cap.bytes,
  });
  return repositoryRunPlan(repository, cap, plan);
};

const refuse = async (
  error: unknown,
  surroundings: Surroundings,
  place: Place,
  { kind }: PackWords,
  project: ProjectOfRun | null,
): Promise<PackResult> => {
  if (!(error instanceof ColdsealError) || !isRefusal(error.code)) throw error;
  const records = openRunRecords(place.settings, surroundings);
  const id = newRecordId(surroundings.random);
  const row = { id, verb: 'pack', error, route: null, kind, project: project?.key ?? null };
  const isRecorded = await recordRefusal(records, row, surroundings.say);
  const path = records.path();
  return {
    document: {
      outcome: 'refused',
      code: error.code,
      message: error.message,
      facts: error.facts,
      ...(isRecorded && path !== null ? { record: { id, path } } : {}),
    },
    sealed: null,
  };
};
