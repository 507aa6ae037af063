/**
 * What `-v` says of a run: which files were read, why the work goes where it goes, and which list, range, project and cap
 * are in force, each with the key and the line it comes from. Names and sizes alone, never a text and never a value that
 * a credential has.
 */
import { chooseCap, chooseList, chooseWithhold } from '../admission/choose-bundle-limits.js';
import { type ExplainedSetting, explainSettings } from '../config/explain-settings.js';
import type { SettingsWithSources } from '../config/read-settings.js';
import { credentialVariable } from '../config/resolve-credential.js';
import type { CommitRange, KindName } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import type { ProviderSettings, Route } from '../contract/route.js';
import type { ScanProfile } from '../contract/rule.js';
import type { CredentialSource } from '../contract/settings.js';
import type { ProjectOfRun } from './choose-project.js';
import type { Place } from './open-place.js';

/** One line to a person who asked for more, without its line end. */
export type Explain = (line: string) => void;

export interface RunExplainer {
  settings(): void;
  route(route: Route): void;
  project(project: ProjectOfRun, kind: KindName): void;
  range(range: CommitRange | null): void;
  scanner(profile: ScanProfile, threads: number): void;
  /** Of a call to a provider on this machine; a remote one tells its observer. */
  answered(durationMs: number): void;
}

export const explainRun = ({ sources }: Pick<Place, 'sources'>, explain: Explain): RunExplainer => {
  const rows = explainSettings(sources);
  const at = placeIn(rows);
  return {
    settings: () => {
      for (const line of settingsLines(sources, rows)) explain(line);
    },
    route: (route) => {
      explain(`route: ${routeWords(route, at)}`);
      if (route.kind === 'provider') for (const line of providerLines(route.provider, sources)) explain(line);
    },
    project: (project, kind) => {
      for (const line of projectLines(project, kind, sources, at)) explain(line);
    },
    range: (range) => {
      if (range !== null) explain(`range: ${range.base}..${range.head}`);
    },
    answered: (durationMs) => explain(`answered after ${Math.round(durationMs)} ms`),
    scanner: ({ families, ownerRules, digest }, threads) =>
      explain(
        `scanner: families ${families.join(', ')}; owner’s rules ${ownerRules.length}; threads ${threads}; rules ${digest}`,
      ),
  };
};

type PlaceOfKey = (key: string, origin?: ExplainedSetting['origin']) => string;

const placeIn =
  (rows: readonly ExplainedSetting[]): PlaceOfKey =>
  (key, origin = 'machine') => {
    const row = rows.find((one) => one.key === key && one.origin === origin);
    return row === undefined || row.file === null ? key : `${key}, ${printable(row.file)}:${row.line ?? 0}`;
  };

const settingsLines = (
  { settings, machine, repository, routing }: SettingsWithSources,
  rows: readonly ExplainedSetting[],
): readonly string[] => {
  const machineRows = rows.filter(({ origin }) => origin === 'machine');
  const ours = rows.filter(({ origin }) => origin === 'repository');
  const ignored = ours.filter((row) => row.ignored);
  return [
    machine === null
      ? `settings: ${printable(settings.machineFile)} (machine file) is not there: the defaults`
      : `settings: ${printable(machine.file)} (machine file), values ${machineRows.length}`,
    repository === null
      ? 'settings: no repository file'
      : `settings: ${printable(repository.file)} (repository file), values ${ours.length}, ignored ${ignored.length}`,
    ...(routing === null ? [] : [`settings: ${printable(routing.file)} (the repository’s settings of agents)`]),
  ];
};

const routeWords = (route: Route, at: PlaceOfKey): string => {
  const target = route.kind === 'host' ? 'host-decides' : `${route.provider.name}/${route.model}`;
  const key = `oracle.roles.${route.agent}`;
  switch (route.origin) {
    case 'flag':
      return `${route.agent}=${target}, typed with --route`;
    case 'machine':
    case 'repository':
      return `${route.agent}=${target} (${at(key, route.origin)})`;
    case 'none':
      return `${route.agent} has none, neither typed nor in a settings file (${key}): the host decides`;
    default:
      return route.origin satisfies never;
  }
};

const providerLines = (provider: ProviderSettings, { settings }: SettingsWithSources): readonly string[] => {
  const { endpoint, credential } = provider;
  const source = credential === null ? undefined : settings.own.credentials.get(credential);
  return [
    `provider: ${provider.name}, ${printable(endpoint.baseUrl)}, ${endpoint.remote ? 'is remote: it gets a bundle' : 'is on this machine: it gets the request as it is'}`,
    ...(credential === null ? [] : [`credential: ${credential}, ${sourceWords(credential, source)}`]),
  ];
};

/** In the order in which its value is looked for. */
const sourceWords = (name: string, source: CredentialSource | undefined): string =>
  `looked for in the variable ${credentialVariable(name)}, then in ${sourceName(name, source)}`;

const sourceName = (name: string, source: CredentialSource | undefined): string => {
  switch (source?.kind) {
    case 'environment':
      return `the variable ${source.variable}`;
    case 'file':
      return `the file ${printable(source.path)}`;
    case 'keychain':
      return 'the keychain';
    case undefined:
      return `the file credentials/${name} of the machine folder`;
    default:
      return source satisfies never;
  }
};

const projectLines = (
  project: ProjectOfRun,
  kind: KindName,
  { settings }: SettingsWithSources,
  at: PlaceOfKey,
): readonly string[] => {
  const { key, roots, entry } = project;
  const { bundles } = settings;
  const cap = chooseCap(bundles, project);
  const list = chooseList(kind, project);
  const globs = chooseWithhold(bundles, project);
  const entries = list.entries.map((one) => (one.kind === 'path' ? `path:${printable(one.glob)}` : one.input));
  const capKey = cap.origin === 'machine' ? 'oracle.bundles.cap' : cap.key;
  const listKey = `oracle.bundles.projects.${key ?? ''}.kinds.${kind}`;
  return [
    `project: ${key ?? 'none'}${roots.length > 1 ? ` of the roots ${roots.join(' ')}` : ''}, ${entry === null ? 'no entry in the machine file' : 'with an entry in the machine file'}`,
    `cap: ${cap.bytes} bytes (${cap.origin}; ${at(capKey)})`,
    `list: ${kind}, ${list.origin}${list.origin === 'owner' ? ` (${at(listKey)})` : ''}: ${entries.join(', ')}`,
    `withhold: the compiled names${globs.length === 0 ? '' : ` and ${globs.map(printable).join(', ')}`}`,
  ];
};
