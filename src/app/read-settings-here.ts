/** Settings for verbs that also work outside a repository: `config`, `records`, `providers`, the writers of the machine file. */
import { readSettingsWithSources, type SettingsWithSources } from '../config/read-settings.js';
import { ColdsealError } from '../contract/error.js';
import { openRunRepository, type RepositoryFolders, settingsFacts } from './open-place.js';
import type { Surroundings } from './surroundings.js';

/** Of the repository around the folder, or `null` where there is none. */
export const foldersHere = async (surroundings: Surroundings): Promise<RepositoryFolders | null> => {
  try {
    const repository = await openRunRepository(surroundings);
    try {
      return { workTree: repository.workTree, checkout: repository.checkout };
    } finally {
      await repository.close();
    }
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return null;
    throw error;
  }
};

/** Every refusal of a read: `CONFIG_INVALID`, `CONFIG_UNSAFE`, `REPO_DECLARES_PROVIDER`. */
export const readSettingsHere = async (surroundings: Surroundings): Promise<SettingsWithSources> =>
  readSettingsWithSources(settingsFacts(surroundings, await foldersHere(surroundings)));

/** The owner's settings alone: what a checkout says is not asked. */
export const readMachineSettings = (surroundings: Surroundings): Promise<SettingsWithSources> =>
  readSettingsWithSources(settingsFacts(surroundings, null));
