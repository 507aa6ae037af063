/**
 * Which entry of `oracle.bundles.projects` applies. Every root of HEAD's history is looked up: were only the first one
 * asked, merging an orphan branch could switch the list. The key is a name, not a proof; anyone may build on a public
 * root.
 */
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { ProjectBundles, Settings } from '../contract/settings.js';

export interface ProjectFacts {
  /** Full names of the root commits of HEAD's history; empty without a commit, and not asked for in a shallow clone. */
  readonly roots: readonly string[];
  readonly shallow: boolean;
  readonly settings: Pick<Settings, 'bundles' | 'machineFile'>;
}

export interface ChosenProject {
  /** The root with an entry, else the first in order, else `null`. */
  readonly key: string | null;
  /** `null`: the defaults. */
  readonly entry: ProjectBundles | null;
}

/** Throws `PROJECT_AMBIGUOUS`: two roots with different entries, or a history too shallow to tell. */
export function chooseProject({ roots, shallow, settings }: ProjectFacts): ChosenProject {
  const { projects } = settings.bundles;
  if (shallow) {
    if (projects.size === 0) return { key: null, entry: null };
    throw new ColdsealError(
      'PROJECT_AMBIGUOUS',
      `This clone is shallow, so its root commit and with it the entry of oracle.bundles.projects in ${printable(settings.machineFile)} cannot be told. Run git fetch --unshallow.`,
      { facts: { shallow: true } },
    );
  }
  const sorted = roots.toSorted();
  const found = sorted.flatMap((root) => {
    const entry = projects.get(root);
    return entry === undefined ? [] : [{ key: root, entry }];
  });
  const [first] = found;
  if (first === undefined) return { key: sorted[0] ?? null, entry: null };
  if (new Set(found.map(({ entry }) => canonicalJson(entry))).size === 1) return first;
  const keys = found.map(({ key }) => key);
  throw new ColdsealError(
    'PROJECT_AMBIGUOUS',
    `The history has ${keys.length} root commits with different entries under oracle.bundles.projects in ${printable(settings.machineFile)}: ${keys.join(', ')}. Keep one entry, or make them equal.`,
    { facts: { roots: keys.join(' ') } },
  );
}
