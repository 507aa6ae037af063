/** The repository and the settings that a run is about, opened together: the settings' rules need to ask the repository. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  readSettings,
  readSettingsWithSources,
  type SettingsFacts,
  type SettingsWithSources,
} from '../config/read-settings.js';
import { ColdsealError } from '../contract/error.js';
import type { Repository } from '../contract/repository.js';
import type { Settings } from '../contract/settings.js';
import { openRepository } from '../git/open-repository.js';
import type { Surroundings } from './surroundings.js';

export interface Place {
  readonly repository: Repository;
  readonly settings: Settings;
  /** The same with the documents they were read from, for whoever explains them. */
  readonly sources: SettingsWithSources;
  /** Reads both files again, as they are now. */
  readonly readAgain: () => Promise<Settings>;
}

/** Whether a repository around this absolute path tracks it or something below it. Not the repository of the run. */
const isTrackedAround =
  (surroundings: Surroundings) =>
  async (path: string): Promise<boolean> => {
    if (!mayStandInRepository(path)) return false;
    const { environment, uid, signal } = surroundings;
    let around: Repository;
    try {
      around = await openRepository(path, { environment, uid, signal });
    } catch (error) {
      if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return false;
      throw error;
    }
    try {
      return await around.isTracked(relative(around.checkout, path));
    } finally {
      await around.close();
    }
  };

/**
 * False where no folder around the path holds what every repository begins with. Asked of the owner's own folder before
 * each reading of the machine file, so it costs some microseconds; what cannot be looked at may be one.
 */
const mayStandInRepository = (path: string): boolean => {
  try {
    for (let folder = realpathSync.native(path); ; folder = dirname(folder)) {
      for (const name of ['.git', 'HEAD']) {
        if (statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined) return true;
      }
      if (dirname(folder) === folder) return false;
    }
  } catch {
    return true;
  }
};

/** Where a repository stands. */
export type RepositoryFolders = Pick<Repository, 'workTree' | 'checkout'>;

/** `folders` is `null` where there is no repository, or it could not be opened. */
export const settingsFacts = (surroundings: Surroundings, folders: RepositoryFolders | null): SettingsFacts => {
  const { environment, homeFolder, accountHome, uid, cores } = surroundings;
  const { workTree, checkout } = folders ?? { workTree: null, checkout: null };
  const isTracked = isTrackedAround(surroundings);
  return { environment, homeFolder, accountHome, uid, cores, workTree, checkout, isTracked };
};

/** The repository around the folder. `NOT_A_REPOSITORY`, `GIT_UNSAFE`, `GIT_FAILED`. The caller closes it. */
export const openRunRepository = ({ folder, environment, uid, signal }: Surroundings): Promise<Repository> =>
  openRepository(folder, { environment, uid, signal });

/** Opens both, runs `work`, and closes the repository whatever happens. */
export const withPlace = async <T>(surroundings: Surroundings, work: (place: Place) => Promise<T>): Promise<T> => {
  const repository = await openRunRepository(surroundings);
  try {
    const facts = settingsFacts(surroundings, repository);
    const sources = await readSettingsWithSources(facts);
    return await work({ repository, settings: sources.settings, sources, readAgain: () => readSettings(facts) });
  } finally {
    await repository.close();
  }
};
