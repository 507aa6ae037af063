/** The writers of the machine file, each one edit that a person typed. The result is judged whole before it replaces. */
import type { Edit } from '../config/edit-json-text.js';
import type { JsonValue } from '../config/json-document.js';
import { type WrittenMachineFile, writeMachineFile } from '../config/write-machine-file.js';
import { ColdsealError } from '../contract/error.js';
import { projectOf } from './choose-project.js';
import { settingsFacts, withPlace } from './open-place.js';
import { workTreeHere } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

const write = async (surroundings: Surroundings, edits: readonly Edit[]): Promise<WrittenMachineFile> =>
  writeMachineFile({
    facts: settingsFacts(surroundings, await workTreeHere(surroundings)),
    edits,
    uniqueWord: Buffer.from(surroundings.random(6)).toString('hex'),
  });

/** Path of this project's entry in the machine file; `PROJECT_AMBIGUOUS`, or `NO_RANGE` where no commit names a project. */
const projectPath = (surroundings: Surroundings): Promise<readonly string[]> =>
  withPlace(surroundings, async (place) => {
    const { key, shallow } = await projectOf(place);
    if (key !== null) return ['oracle', 'bundles', 'projects', key];
    throw new ColdsealError(
      'USAGE',
      shallow
        ? 'this clone is shallow, so its root commit, the name of a project, cannot be told; run `git fetch --unshallow`'
        : 'this repository has no commit yet, and a project is named by its root commit; commit first',
    );
  });

export interface FirstProvider {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Environment variable that holds the key, or `null` for a provider without one. */
  readonly keyVariable: string | null;
  /** Agents routed to it. */
  readonly agents: readonly string[];
}

/** One provider that may take file-reading helpers, and the agents routed to it. */
export const initSettings = (surroundings: Surroundings, first: FirstProvider): Promise<WrittenMachineFile> => {
  const block: JsonValue = {
    base_url: first.baseUrl,
    ...(first.keyVariable === null ? {} : { key: first.name }),
    models: [first.model],
  };
  return write(surroundings, [
    { kind: 'set', path: ['oracle', 'api', first.name], value: block },
    ...first.agents.map(
      (agent): Edit => ({ kind: 'set', path: ['oracle', 'roles', agent], value: `${first.name}/${first.model}` }),
    ),
    { kind: 'append', path: ['oracle', 'bundled_context_providers'], value: first.name },
    ...(first.keyVariable === null
      ? []
      : [
          {
            kind: 'set',
            path: ['coldseal', 'credentials', first.name],
            value: { env: first.keyVariable },
          } satisfies Edit,
        ]),
  ]);
};

/** `size` as typed: digits are bytes, anything else must carry a unit. */
export const setCap = async (
  surroundings: Surroundings,
  size: string,
  forProject: boolean,
): Promise<WrittenMachineFile> => {
  const value = /^\d{1,12}$/.test(size) ? Number(size) : size;
  const path = forProject ? [...(await projectPath(surroundings)), 'cap'] : ['oracle', 'bundles', 'cap'];
  return write(surroundings, [{ kind: 'set', path, value }]);
};

export const setList = async (
  surroundings: Surroundings,
  kind: string,
  entries: readonly string[],
): Promise<WrittenMachineFile> =>
  write(surroundings, [
    { kind: 'set', path: [...(await projectPath(surroundings)), 'kinds', kind], value: [...entries] },
  ]);

export const addWithhold = async (
  surroundings: Surroundings,
  glob: string,
  forMachine: boolean,
): Promise<WrittenMachineFile> => {
  const path = forMachine ? ['oracle', 'bundles', 'withhold'] : [...(await projectPath(surroundings)), 'withhold'];
  return write(surroundings, [{ kind: 'append', path, value: glob }]);
};
