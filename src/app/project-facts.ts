/** What the owner's settings mean for this repository: its roots, the entry that matches, cap, lists and globs in force. */
import { chooseCap, chooseList, chooseWithhold } from '../admission/choose-bundle-limits.js';
import { KINDS } from '../contract/item.js';
import { projectOf } from './choose-project.js';
import { withPlace } from './open-place.js';
import type { Surroundings } from './surroundings.js';

export interface ProjectFacts {
  /** Every root commit of HEAD's history; empty without a commit and in a shallow clone. */
  readonly roots: readonly string[];
  readonly shallow: boolean;
  /** The root that the settings are looked up under; `null` where there is none. */
  readonly project: string | null;
  readonly has_entry: boolean;
  readonly cap: { readonly bytes: number; readonly origin: string; readonly key: string };
  readonly lists: Readonly<Record<string, { readonly origin: string; readonly entries: readonly string[] }>>;
  readonly withhold: readonly string[];
}

/** Refuses as a run would: `PROJECT_AMBIGUOUS`, `NOT_A_REPOSITORY`, `CONFIG_*`. */
export const projectFacts = (surroundings: Surroundings): Promise<ProjectFacts> =>
  withPlace(surroundings, async (place) => {
    const project = await projectOf(place);
    const { bundles } = place.settings;
    return {
      roots: project.roots,
      shallow: project.shallow,
      project: project.key,
      has_entry: project.entry !== null,
      cap: chooseCap(bundles, project),
      lists: Object.fromEntries(
        KINDS.map((kind) => {
          const { origin, entries } = chooseList(kind, project);
          return [
            kind,
            { origin, entries: entries.map((entry) => (entry.kind === 'path' ? `path:${entry.glob}` : entry.input)) },
          ];
        }),
      ),
      withhold: chooseWithhold(bundles, project),
    };
  });
