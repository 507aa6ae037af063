/** The kinds as a table, for the command line, the service and the README. */
import { type InputName, KIND_INPUTS, KINDS, type KindName } from '../contract/item.js';
import { AGENT_KINDS } from '../contract/route.js';

export interface KindRow {
  readonly kind: KindName;
  readonly agents: readonly string[];
  readonly inputs: readonly InputName[];
}

export const listKinds = (): readonly KindRow[] =>
  KINDS.map((kind) => ({
    kind,
    agents: Object.entries(AGENT_KINDS)
      .filter(([, kinds]) => kinds.some((name) => name === kind))
      .map(([agent]) => agent),
    inputs: KIND_INPUTS[kind],
  }));
