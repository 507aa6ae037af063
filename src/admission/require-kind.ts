/** Which agents have a kind of bundle, and which of them read files. Compiled in: no list can give an agent a kind. */
import { ColdsealError } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import { AGENT_KINDS } from '../contract/route.js';

export type AgentName = keyof typeof AGENT_KINDS;

/** Positions of a cold reading are self-contained: they read the parked bundle and no file. */
const SELF_CONTAINED: ReadonlySet<string> = new Set<AgentName>([
  'cold-reading-widening',
  'cold-reading-entailment',
  'cold-reading-comparative',
  'cold-reading-detection',
]);

const isAgent = (name: string): name is AgentName => Object.hasOwn(AGENT_KINDS, name);

export const kindsOf = (agent: AgentName): readonly KindName[] => AGENT_KINDS[agent];

/** Reads files of the repository, so a remote provider needs the owner's override (DR5). */
export const readsFiles = (agent: string): boolean => !SELF_CONTAINED.has(agent);

/** `NO_KIND` for an agent without a kind, whatever the lists say. */
export function requireKind(agent: string): AgentName {
  if (isAgent(agent)) return agent;
  throw new ColdsealError(
    'NO_KIND',
    `The agent ${printable(agent)} has no kind of bundle, so nothing of it may leave. Agents with one: ${Object.keys(AGENT_KINDS).join(', ')}.`,
    { facts: { agent: printable(agent) } },
  );
}
