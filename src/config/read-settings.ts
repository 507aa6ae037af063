/**
 * The two layers of settings, read and merged: the machine file speaks for the owner, the repository file may only
 * tighten or route to this machine. Files are read anew by every call, so a run, a service's request and the second
 * reading before a send each see what is in force then.
 *
 * What is refused outright (an unsafe file, a repository that declares a provider) is thrown at once; every other
 * problem of every file is gathered into one `CONFIG_INVALID`.
 */
import { printable } from '../contract/printable.js';
import { AGENT_KINDS } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';
import { judgeMachineFolder, type MachineFolderFacts } from './machine-folder.js';
import { machineShape, noteContradictions } from './machine-schema.js';
import { ProblemList } from './problem-list.js';
import { readSettingsFile, type SettingsDocument } from './read-settings-file.js';
import { type RepositoryLayer, readRepositoryLayer } from './repository-layer.js';
import { type UsableSettings, usableSettings } from './usable-settings.js';

export interface SettingsFacts extends MachineFolderFacts {
  /** Root of the work tree that is read, or `null` when bare or none. */
  readonly workTree: string | null;
  readonly cores: number;
}

/** Settings together with the documents they came from, for whoever explains them. */
export interface SettingsWithSources {
  readonly settings: Settings;
  readonly machine: SettingsDocument | null;
  readonly repository: SettingsDocument | null;
  readonly routing: SettingsDocument | null;
}

/** Reads both layers. `CONFIG_UNSAFE`, `REPO_DECLARES_PROVIDER` or one `CONFIG_INVALID` with every problem. */
export async function readSettings(facts: SettingsFacts): Promise<Settings> {
  return (await readSettingsWithSources(facts)).settings;
}

export async function readSettingsWithSources(facts: SettingsFacts): Promise<SettingsWithSources> {
  const place = await judgeMachineFolder(facts);
  const problems = new ProblemList();
  const machine = place.present ? await readSettingsFile(place.file, { uid: facts.uid, privateWrites: true }) : null;
  const members = problems.read(machine, machineShape);
  if (machine !== null && machine.root !== null) noteContradictions(machine.root, problems.noteIn(machine));
  const layer = await readRepositoryLayer(
    { workTree: facts.workTree, uid: facts.uid, machineFile: place.file },
    problems,
  );
  problems.refuse();
  const usable = usableSettings(members, { machineFolder: place.folder, cores: facts.cores });
  const settings: Settings = {
    machineFile: place.file,
    machineFolder: place.folder,
    machineDigest: machine?.digest ?? null,
    repositoryFile: layer.document?.file ?? null,
    ...usable,
    denylist: mergedDenylist(usable, place.file, layer),
    repositoryRoles: layer.roles.filter((role) => isAgent(role.agent)),
    repositoryAgentSettings: layer.agentSettings,
    notices: [...place.notices, ...unusedNames(usable, place.file), ...layer.notices, ...strangers(layer)],
  };
  return { settings: frozen(settings), machine, repository: layer.document, routing: layer.routing };
}

const isAgent = (name: string): boolean => Object.hasOwn(AGENT_KINDS, name);

function mergedDenylist(usable: UsableSettings, machineFile: string, layer: RepositoryLayer): Settings['denylist'] {
  const repositoryFile = layer.document?.file ?? '';
  return [
    ...usable.denylist.map((entry) => ({ entry, file: machineFile })),
    ...layer.denylist.map((entry) => ({ entry, file: repositoryFile })),
  ];
}

/** Names in the machine file that nothing here answers to: one line each, and no effect. */
function unusedNames(usable: UsableSettings, machineFile: string): readonly string[] {
  const file = printable(machineFile);
  const known = (name: string): boolean => usable.providers.has(name);
  return [
    ...[...usable.roles.keys()]
      .filter((agent) => !isAgent(agent))
      .map((agent) => `${file}: oracle.roles.${agent} is ignored; Coldseal has no agent of that name`),
    ...[...usable.bundledContextProviders]
      .filter((name) => !known(name))
      .map((name) => `${file}: oracle.bundled_context_providers names ${name}, which oracle.api does not configure`),
    ...[...usable.own.gate.providers]
      .filter((name) => !known(name))
      .map((name) => `${file}: coldseal.gate.providers names ${name}, which oracle.api does not configure`),
    ...[...usable.providers.values()].flatMap((provider) =>
      Object.keys(provider.resolve)
        .filter((host) => host !== provider.endpoint.host)
        .map(
          (host) =>
            `${file}: coldseal.providers.${provider.name}.resolve names ${printable(host)}, which is not its host`,
        ),
    ),
  ];
}

/** A checkout that names thousands of agents must not push the count of what is sent out of sight. */
const MOST_STRANGERS = 16;

function strangers(layer: RepositoryLayer): readonly string[] {
  const file = printable(layer.document?.file ?? '');
  const named = layer.roles.filter((role) => !isAgent(role.agent));
  const more = named.length - MOST_STRANGERS;
  return [
    ...named
      .slice(0, MOST_STRANGERS)
      .map(
        (role) =>
          `${file}: oracle.roles names the agent ${printable(role.agent.slice(0, 64))}, which Coldseal has not; ignored`,
      ),
    ...(more > 0 ? [`${file}: oracle.roles names ${more} more agents that Coldseal has not; ignored`] : []),
  ];
}

/** Freezes plain values all the way down; maps and sets are read-only by their types. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const inner = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
  for (const one of inner) frozen(one);
  return value;
}
