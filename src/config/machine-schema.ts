/** The machine file as a whole: our two members, and whatever else the programs that share it keep there. */
import { judgeEndpoint } from '../contract/judge-endpoint.js';
import { object } from './container-shape.js';
import { dottedPath, type JsonMember, type JsonNode, memberOf, nodeAt } from './json-document.js';
import { oracleShape } from './oracle-schema.js';
import { ownShape } from './own-schema.js';
import { type Note, suggestion, type ValueOf } from './shape.js';

export const machineShape = object({ optional: { oracle: oracleShape, coldseal: ownShape }, unknown: 'ignore' });

export type MachineMembers = ValueOf<typeof machineShape>;

/** Members that only mean something on the way to another machine. */
const REMOTE_ONLY = ['resolve', 'ca_file'] as const;
/** Members that only mean something to a call over HTTP. */
const HTTP_ONLY = ['resolve', 'ca_file', 'settings', 'usage_chunk'] as const;

/**
 * What two members say about each other. Judged on the tree, not on what was read, so these problems are named together
 * with all others.
 */
export function noteContradictions(root: JsonNode, note: Note): void {
  const api = nodeAt(root, ['oracle', 'api']);
  const known = api?.kind === 'object' ? api.members.map((member) => member.name) : [];
  const providers = nodeAt(root, ['coldseal', 'providers']);
  if (providers?.kind !== 'object') return;
  for (const member of providers.members) {
    const path = ['coldseal', 'providers', member.name];
    if (noteSpawn(member, path, known, note)) continue;
    if (!known.includes(member.name)) {
      const near = suggestion(member.name, known);
      note(member, `${dottedPath(path)} names a provider that oracle.api does not configure${near}`);
      continue;
    }
    if (!isOnThisMachine(nodeAt(api, [member.name, 'base_url']))) continue;
    for (const name of REMOTE_ONLY) {
      const remoteOnly = memberOf(member.value, name);
      if (remoteOnly === null) continue;
      note(
        remoteOnly,
        `${dottedPath([...path, name])} has no place here: the provider is on this machine and its name is never looked up`,
      );
    }
  }
}

/** True when the member describes a program, which no other member of a provider may sit beside. */
function noteSpawn(member: JsonMember, path: readonly string[], known: readonly string[], note: Note): boolean {
  if (memberOf(member.value, 'spawn') === null) return false;
  if (known.includes(member.name)) {
    note(member, `${dottedPath([...path, 'spawn'])} and oracle.api.${member.name} both say how to reach it; keep one`);
  }
  for (const name of HTTP_ONLY) {
    const httpOnly = memberOf(member.value, name);
    if (httpOnly === null) continue;
    note(httpOnly, `${dottedPath([...path, name])} has no place here: a program is started, no address is called`);
  }
  return true;
}

function isOnThisMachine(baseUrl: JsonNode | null): boolean {
  if (baseUrl?.kind !== 'string') return false;
  const judgement = judgeEndpoint(baseUrl.value);
  return judgement.ok && !judgement.endpoint.remote;
}
