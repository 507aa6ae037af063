/** The cap and the withheld globs in force here, each with where it comes from; also outside a repository. */
import { chooseCap } from '../admission/choose-bundle-limits.js';
import { WITHHELD_BY_NAME, WITHHELD_EXCEPTION } from '../admission/withheld-paths.js';
import type { Cap } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import { projectOf } from './choose-project.js';
import { withPlace } from './open-place.js';
import { readMachineSettings } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

export interface WithheldFacts {
  /** Withheld from every bundle, in any letter case. */
  readonly compiled: readonly string[];
  /** What the compiled globs let through. */
  readonly except: readonly string[];
  readonly machine: readonly string[];
  readonly project: readonly string[];
}

/** `work` in the repository here, or `null` where there is none. */
const inRepository = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return null;
    throw error;
  }
};

/** Of this project, and where there is no repository of this machine; `forProject` insists on the first. */
export const capInForce = async (surroundings: Surroundings, forProject: boolean): Promise<Cap> => {
  const ofProject = withPlace(surroundings, async (place) => chooseCap(place.settings.bundles, await projectOf(place)));
  const cap = forProject ? await ofProject : await inRepository(ofProject);
  if (cap !== null) return cap;
  const { settings } = await readMachineSettings(surroundings);
  return chooseCap(settings.bundles, { key: null, entry: null });
};

export const withheldFacts = async (surroundings: Surroundings): Promise<WithheldFacts> => {
  const here = await inRepository(
    withPlace(surroundings, async (place) => ({
      machine: place.settings.bundles.withhold,
      project: (await projectOf(place)).entry?.withhold ?? [],
    })),
  );
  const compiled = { compiled: WITHHELD_BY_NAME, except: [WITHHELD_EXCEPTION] };
  if (here !== null) return { ...compiled, ...here };
  const { settings } = await readMachineSettings(surroundings);
  return { ...compiled, machine: settings.bundles.withhold, project: [] };
};
