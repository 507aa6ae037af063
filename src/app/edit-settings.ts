/**
 * The writers of the machine file, each one edit that a person typed, and with each its way back. The result is judged
 * whole before it replaces.
 */
import type { Edit } from '../config/edit-json-text.js';
import type { TypedMember } from '../config/typed-member.js';
import { type WrittenMachineFile, writeMachineFile } from '../config/write-machine-file.js';
import { ColdsealError } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { printable } from '../contract/printable.js';
import { projectOf } from './choose-project.js';
import { settingsFacts, withPlace } from './open-place.js';
import { foldersHere, readMachineSettings } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

export const writeSettings = async (
  surroundings: Surroundings,
  edits: readonly Edit[],
  typed: readonly TypedMember[],
): Promise<WrittenMachineFile> =>
  writeMachineFile({
    facts: settingsFacts(surroundings, await foldersHere(surroundings)),
    edits,
    typed,
    uniqueWord: Buffer.from(surroundings.random(6)).toString('hex'),
  });

/** Path of this project's entry in the machine file; `PROJECT_AMBIGUOUS`, or `USAGE` where no commit names a project. */
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

const capPath = async (surroundings: Surroundings, forProject: boolean): Promise<readonly string[]> =>
  forProject ? [...(await projectPath(surroundings)), 'cap'] : ['oracle', 'bundles', 'cap'];

/** `size` as typed: digits are bytes, anything else must carry a unit. */
export const setCap = async (
  surroundings: Surroundings,
  size: string,
  forProject: boolean,
): Promise<WrittenMachineFile> => {
  const value = /^\d{1,12}$/.test(size) ? Number(size) : size;
  const path = await capPath(surroundings, forProject);
  return writeSettings(surroundings, [{ kind: 'set', path, value }], [{ path, word: 'SIZE' }]);
};

export const unsetCap = async (surroundings: Surroundings, forProject: boolean): Promise<WrittenMachineFile> =>
  writeSettings(surroundings, [{ kind: 'unset', path: await capPath(surroundings, forProject) }], []);

const listPath = async (surroundings: Surroundings, kind: KindName): Promise<readonly string[]> => [
  ...(await projectPath(surroundings)),
  'kinds',
  kind,
];

export const setList = async (
  surroundings: Surroundings,
  kind: KindName,
  entries: readonly string[],
): Promise<WrittenMachineFile> => {
  const path = await listPath(surroundings, kind);
  return writeSettings(surroundings, [{ kind: 'set', path, value: [...entries] }], [{ path, word: 'ENTRY' }]);
};

/** The compiled list is in force again. */
export const unsetList = async (surroundings: Surroundings, kind: KindName): Promise<WrittenMachineFile> =>
  writeSettings(surroundings, [{ kind: 'unset', path: await listPath(surroundings, kind) }], []);

const withholdPath = async (surroundings: Surroundings, forMachine: boolean): Promise<readonly string[]> =>
  forMachine ? ['oracle', 'bundles', 'withhold'] : [...(await projectPath(surroundings)), 'withhold'];

export const addWithhold = async (
  surroundings: Surroundings,
  glob: string,
  forMachine: boolean,
): Promise<WrittenMachineFile> => {
  const path = await withholdPath(surroundings, forMachine);
  return writeSettings(surroundings, [{ kind: 'append', path, value: glob }], [{ path, word: 'GLOB' }]);
};

/** `USAGE` for a glob that is not there: nothing of it would travel by a slip of the hand. */
export const removeWithhold = async (
  surroundings: Surroundings,
  glob: string,
  forMachine: boolean,
): Promise<WrittenMachineFile> => {
  const path = await withholdPath(surroundings, forMachine);
  const known = await withheldHere(surroundings, forMachine);
  if (!known.here.includes(glob)) throw notWithheld(glob, forMachine, known);
  return writeSettings(surroundings, [{ kind: 'remove', path, isEntry: (entry) => entry === glob }], []);
};

interface KnownGlobs {
  readonly here: readonly string[];
  /** Those of the other place: the machine's for a project's, and the other way round. */
  readonly elsewhere: readonly string[];
}

const withheldHere = async (surroundings: Surroundings, forMachine: boolean): Promise<KnownGlobs> => {
  if (forMachine) {
    const { settings } = await readMachineSettings(surroundings);
    return { here: settings.bundles.withhold, elsewhere: [] };
  }
  return withPlace(surroundings, async (place) => {
    const { entry } = await projectOf(place);
    return { here: entry?.withhold ?? [], elsewhere: place.settings.bundles.withhold };
  });
};

const notWithheld = (glob: string, forMachine: boolean, { here, elsewhere }: KnownGlobs): ColdsealError => {
  const near = nearestName(glob, here);
  const where = '`coldseal withhold list` shows what is';
  const hint = elsewhere.includes(glob)
    ? `; it is withheld for every project of this machine: add --machine; ${where}`
    : orNearest(near === null ? null : printable(near), where);
  return new ColdsealError(
    'USAGE',
    `GLOB is not withheld for ${forMachine ? 'this machine' : 'this project'} by the machine file${hint}`,
  );
};
