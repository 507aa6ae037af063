/**
 * The bundle of a recorded run, made again from the repository and compared by its digest. List, globs, rules and identity
 * are today's, because the record keeps digests of them and not themselves; where one has changed, that is said beside
 * the answer. The cap is left out: it decides whether a bundle leaves and never what is in it.
 */
import { requireKind } from '../admission/require-kind.js';
import { LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { KINDS, type KindName } from '../contract/item.js';
import type { RecordedBundle } from '../contract/record.js';
import { VERSION } from '../contract/version.js';
import { assembleBundle } from '../pipeline/assemble-bundle.js';
import { recordedBundle } from '../pipeline/recorded-bundle.js';
import type { RunRecord } from '../record/show-record.js';
import { type ProjectOfRun, projectOf } from './choose-project.js';
import { type Place, withPlace } from './open-place.js';
import { openRunScanner } from './open-run-scanner.js';
import { assemblyOf, planRun, withheldPaths } from './prepare-run.js';
import { CannotRebuild, reasonOf, recomposeRun, type StartRow } from './recompose-run.js';
import { ownersRules } from './scan-profile.js';
import type { Surroundings } from './surroundings.js';
import { systemMessage } from './system-message.js';

export interface Rebuilt {
  readonly answer: 'same' | 'differs' | 'cannot be rebuilt';
  /** What it cannot be rebuilt for. */
  readonly what?: string;
  readonly recorded_digest?: string;
  readonly rebuilt_digest?: string;
  /** What is other than it was when the bundle was made. */
  readonly notes: readonly string[];
}

export const rebuildBundle = async (surroundings: Surroundings, { rows, summary }: RunRecord): Promise<Rebuilt> => {
  const start = rows.findLast((row): row is StartRow => row.event === 'start');
  const bundle = start?.bundle ?? null;
  if (start === undefined || bundle === null) {
    return cannot(`the run (${summary.outcome}) has no bundle in the record`);
  }
  try {
    return await withPlace(surroundings, (place) => rebuild(surroundings, place, start, bundle));
  } catch (error) {
    const reason = surroundings.signal.aborted ? null : reasonOf(error);
    if (reason === null) throw error;
    return { ...cannot(reason), recorded_digest: bundle.digest };
  }
};

const cannot = (what: string): Rebuilt => ({ answer: 'cannot be rebuilt', what, notes: [] });

const rebuild = async (
  surroundings: Surroundings,
  place: Place,
  start: StartRow,
  bundle: RecordedBundle,
): Promise<Rebuilt> => {
  const { repository } = place;
  const { signal } = surroundings;
  const kind = requireKnownKind(bundle.kind);
  const project = uncapped(await projectOf(place));
  if (bundle.project !== null && !project.roots.includes(bundle.project)) {
    throw new CannotRebuild(`this repository has another root than the project ${bundle.project}`);
  }
  const isWithheld = withheldPaths(place, kind, project);
  const { readAt, ...composed } = await recomposeRun(repository, start, bundle, isWithheld, signal);
  const runPlan = await planRun(place, { kind }, project, { ...composed, range: readAt });
  const system = await systemMessage(
    surroundings,
    { brief: null, question: null },
    requireKind(start.route.agent),
    place.settings.machineFolder,
  );
  const owners = await ownersRules(place.settings.own);
  const scanner = await openRunScanner(surroundings, place.settings.own);
  try {
    const assembly = await assemblyOf({
      surroundings,
      place,
      words: { kind, plan: false },
      project,
      runPlan,
      scanner,
      owners,
      system: system.bytes,
      observe: () => {},
    });
    const assembled = await assembleBundle(assembly);
    if (assembled.kind !== 'sealed') throw assembled.refusal;
    const now = recordedBundle(assembled.bundle, bundle.approval);
    return {
      answer: now.digest === bundle.digest ? 'same' : 'differs',
      recorded_digest: bundle.digest,
      rebuilt_digest: now.digest,
      notes: [
        ...changed('the rules, or whom they protect,', start.digests['rules'], assembly.profile.digest),
        ...changed('the agent’s definition', start.digests['definition'], system.digests['definition']),
        ...changed('coldseal', start.versions['coldseal'], VERSION),
        ...changed('the list', bundle.list_origin, now.list_origin),
        ...differingItems(bundle, now),
      ],
    };
  } finally {
    await scanner.close();
  }
};

const requireKnownKind = (name: string): KindName => {
  const kind = KINDS.find((one) => one === name);
  if (kind === undefined) throw new CannotRebuild('its kind is not known here');
  return kind;
};

const uncapped = (project: ProjectOfRun): ProjectOfRun => ({
  ...project,
  entry: {
    withhold: project.entry?.withhold ?? [],
    kinds: project.entry?.kinds ?? new Map(),
    capBytes: LARGEST_CAP_BYTES,
  },
});

const changed = (what: string, then: string | undefined, now: string | undefined): readonly string[] =>
  then === undefined || then === now ? [] : [`${what} was ${then} and is ${now ?? 'not there'}`];

const MOST_NAMED = 10;

const differingItems = (then: RecordedBundle, now: RecordedBundle): readonly string[] => {
  const count =
    then.items.length === now.items.length ? [] : [`items: ${then.items.length} then, ${now.items.length} now`];
  const named = then.items.flatMap((item, at) => {
    const other = now.items[at];
    if (other === undefined || JSON.stringify(item) === JSON.stringify(other)) return [];
    return [`${item.id} ${item.input} ${item.path ?? item.label ?? ''}: ${item.bytes} bytes then, ${other.bytes} now`];
  });
  const more = named.length > MOST_NAMED ? [`and ${named.length - MOST_NAMED} more items`] : [];
  return [...count, ...named.slice(0, MOST_NAMED), ...more];
};
