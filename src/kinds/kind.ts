/** What a kind of bundle is. The inputs and their order are `KIND_INPUTS`; nothing of a kind is read from a file. */
import type { Family } from '../contract/finding.js';
import type { KindName } from '../contract/item.js';
import type { AGENT_KINDS } from '../contract/route.js';

export type AgentName = keyof typeof AGENT_KINDS;

/** Where the commits come from that a kind reads. */
type RangeNeed =
  /** The branch's own commits, else the last one. */
  | 'branch-or-last-commit'
  /** The branch's own commits; without any it is refused. */
  | 'branch'
  /** Two revisions, both named. */
  | 'revisions'
  /** HEAD alone. */
  | 'none';

export interface KindDefinition {
  readonly kind: KindName;
  /** Who takes it; the first is the one a verb routes to unless it names another. */
  readonly agents: readonly AgentName[];
  /** Reads the `.abcd` record tree. */
  readonly needsRecordTree: boolean;
  readonly range: RangeNeed;
  /** Its agents read files, so a remote provider must be on the owner's list. The cold-reading positions do not. */
  readonly readsFiles: boolean;
  /** JSON answers are one JSON document; its content is not judged. */
  readonly answer: 'text' | 'json';
  /** On unless the owner switches them; ports and test addresses are what a code reviewer reads. */
  readonly families: readonly Family[];
  /** One line for `coldseal kinds`. */
  readonly summary: string;
}

export const CODE_FAMILIES = ['secret', 'identity', 'private'] as const satisfies readonly Family[];
export const ALL_FAMILIES = [
  'secret',
  'identity',
  'network',
  'harness',
  'private',
] as const satisfies readonly Family[];
