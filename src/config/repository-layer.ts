/**
 * What a checkout may say (product.md section 2): routes, whose text admission judges, and more denials. It may not
 * declare a provider or the owner's list; what else of ours it holds is passed over with one line each, because a
 * checkout must neither widen what leaves nor stop the owner's runs.
 *
 * Both files are read from the work tree, without following a link in any component below its root.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { RepositoryAgentSettings, RepositoryRole } from '../contract/settings.js';
import { object } from './container-shape.js';
import { dottedPath, type JsonNode, type JsonObject, memberOf, nodeAt, plainValue } from './json-document.js';
import { denylist } from './oracle-schema.js';
import type { ProblemList } from './problem-list.js';
import { readSettingsFile, type SettingsDocument } from './read-settings-file.js';
import type { Shape } from './shape.js';

export interface RepositoryLayer {
  readonly document: SettingsDocument | null;
  readonly routing: SettingsDocument | null;
  readonly roles: readonly RepositoryRole[];
  readonly denylist: readonly string[];
  readonly agentSettings: readonly RepositoryAgentSettings[];
  readonly notices: readonly string[];
}

const NOTHING: RepositoryLayer = {
  document: null,
  routing: null,
  roles: [],
  denylist: [],
  agentSettings: [],
  notices: [],
};

/** Members of ours that only the machine file may set. */
const OWNERS_ALONE = [['oracle', 'bundles'], ['coldseal']] as const;
const REFUSED = [
  ['oracle', 'api'],
  ['oracle', 'bundled_context_providers'],
] as const;

const anyObject: Shape<JsonObject> = {
  schema: { type: 'object' },
  read: (node, path, note) => {
    if (node.kind === 'object') return node;
    note(node, `${dottedPath(path)} must be an object`);
    return undefined;
  },
};

const repositoryShape = object({
  optional: { oracle: object({ optional: { roles: anyObject, denylist }, unknown: 'ignore' }) },
  unknown: 'ignore',
});

const schemaVersion: Shape<1> = {
  schema: { const: 1 },
  read: (node, path, note) => {
    if (node.kind === 'number' && node.value === 1) return 1;
    note(node, `${dottedPath(path)} must be 1, the only version known here`);
    return undefined;
  },
};

const routingShape = object({
  required: { schema_version: schemaVersion },
  optional: { agents: anyObject },
  unknown: 'ignore',
});

export interface RepositoryLayerFacts {
  readonly workTree: string | null;
  readonly uid: number;
  /** Where the owner sets what a checkout may not. */
  readonly machineFile: string;
}

/**
 * Reads the checkout's two files. Problems go to `problems`; `REPO_DECLARES_PROVIDER` and `CONFIG_UNSAFE` are thrown.
 */
export async function readRepositoryLayer(
  facts: RepositoryLayerFacts,
  problems: ProblemList,
): Promise<RepositoryLayer> {
  if (facts.workTree === null) return NOTHING;
  const rules = { uid: facts.uid, privateWrites: false };
  const folder = join(facts.workTree, '.abcd');
  const document = (await isRealFolder(folder)) ? await readSettingsFile(join(folder, 'config.json'), rules) : null;
  const routingFolder = join(folder, 'config');
  const routing =
    (await isRealFolder(folder)) && (await isRealFolder(routingFolder))
      ? await readSettingsFile(join(routingFolder, 'oracle-routing.json'), rules)
      : null;
  if (document !== null) refuseDeclarations(document, facts.machineFile);
  const members = problems.read(document, repositoryShape);
  const routes = problems.read(routing, routingShape);
  return {
    document,
    routing,
    roles: members?.oracle?.roles == null ? [] : rolesOf(members.oracle.roles, document),
    denylist: members?.oracle?.denylist ?? [],
    agentSettings: routing === null || routes?.agents == null ? [] : agentSettingsOf(routes.agents, problems, routing),
    notices: document === null ? [] : ignoredNotices(document, facts.machineFile),
  };
}

/** False where nothing stands; a link or a file in its place is refused. */
async function isRealFolder(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => null);
  if (stats === null) return false;
  if (stats.isDirectory()) return true;
  throw new ColdsealError(
    'CONFIG_UNSAFE',
    `${printable(folder)} is ${stats.isSymbolicLink() ? 'a symbolic link' : 'no folder'}; settings of a checkout are read from real folders only.`,
  );
}

function refuseDeclarations(document: SettingsDocument, machineFile: string): void {
  const declared = REFUSED.flatMap((path) => {
    const [owner, name] = path;
    const member = memberOf(nodeAt(document.root, [owner]), name);
    return member === null ? [] : [{ key: dottedPath(path), place: document.placeOf(member.start) }];
  });
  if (declared.length === 0) return;
  const file = printable(document.file);
  const lines = declared.map(({ key, place }) => `${file}:${place.line}:${place.column}: declares ${key}`);
  throw new ColdsealError(
    'REPO_DECLARES_PROVIDER',
    `${lines.join('\n')}\nA repository may not; remove it there and set it in ${printable(machineFile)}.`,
    { facts: { file: document.file, keys: declared.map(({ key }) => key).join(' ') } },
  );
}

function rolesOf(roles: JsonObject, document: SettingsDocument | null): readonly RepositoryRole[] {
  return roles.members.map(({ name, value }) => ({ agent: name, text: roleText(value, document) }));
}

/** A route that is no text is kept as it is written: admission skips it and shows it. */
function roleText(value: JsonNode, document: SettingsDocument | null): string {
  return value.kind === 'string' ? value.value : (document?.text.slice(value.start, value.end) ?? '');
}

function agentSettingsOf(
  agents: JsonObject,
  problems: ProblemList,
  routing: SettingsDocument,
): readonly RepositoryAgentSettings[] {
  const note = problems.noteIn(routing);
  return agents.members.flatMap(({ name, value }) => {
    const settings = nodeAt(value, ['settings']);
    if (settings === null) return [];
    const read = anyObject.read(settings, ['agents', name, 'settings'], note);
    if (read === undefined || read.members.length === 0) return [];
    return [
      { agent: name, settings: Object.fromEntries(read.members.map((one) => [one.name, plainValue(one.value)])) },
    ];
  });
}

function ignoredNotices(document: SettingsDocument, machineFile: string): readonly string[] {
  return OWNERS_ALONE.filter((path) => nodeAt(document.root, path) !== null).map(
    (path) =>
      `${printable(document.file)}: "${dottedPath(path)}" is ignored in a repository; it is set in ${printable(machineFile)}`,
  );
}
