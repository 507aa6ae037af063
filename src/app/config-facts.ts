/** The settings in force with their places, for `coldseal config`. */
import { type ExplainedSetting, explainSetting, explainSettings } from '../config/explain-settings.js';
import { settingsSchema } from '../config/settings-schema.js';
import { ColdsealError } from '../contract/error.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { type ProjectFacts, projectFacts } from './project-facts.js';
import { readSettingsHere } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

export type { ExplainedSetting, ProjectFacts };
export { settingsSchema };

export interface ConfigFacts {
  readonly machine_file: string;
  readonly repository_file: string | null;
  readonly notices: readonly string[];
  readonly settings: readonly ExplainedSetting[];
  /** `null` outside a repository. */
  readonly project: ProjectFacts | null;
}

const projectHere = async (surroundings: Surroundings): Promise<ProjectFacts | null> => {
  try {
    return await projectFacts(surroundings);
  } catch (error) {
    if (error instanceof ColdsealError && error.code === 'NOT_A_REPOSITORY') return null;
    throw error;
  }
};

export const configFacts = async (surroundings: Surroundings): Promise<ConfigFacts> => {
  const read = await readSettingsHere(surroundings);
  return {
    machine_file: read.settings.machineFile,
    repository_file: read.settings.repositoryFile,
    notices: read.settings.notices,
    settings: explainSettings(read),
    project: await projectHere(surroundings),
  };
};

/** `USAGE` with the nearest key for one that is not in force. */
export const explainKey = async (surroundings: Surroundings, key: string): Promise<readonly ExplainedSetting[]> => {
  const read = await readSettingsHere(surroundings);
  const rows = explainSetting(read, key);
  if (rows.length > 0) return rows;
  const near = nearestName(
    key,
    explainSettings(read).map((row) => row.key),
  );
  throw new ColdsealError(
    'USAGE',
    `no setting in force has that key${orNearest(near, '`coldseal config show` lists all of them')}`,
  );
};

export const machineFilePath = async (surroundings: Surroundings): Promise<string> =>
  (await readSettingsHere(surroundings)).settings.machineFile;
