/**
 * Messages whose words a provider puts together: those of one speaker with nothing of another's between them become one
 * turn, and all system messages one text at the front. A secret may have been cut where one ends, so their words are
 * looked at joined as well.
 */
import type { JsonNode } from './json-tree.js';

export interface SpokenMessage {
  readonly role: string | null;
  /** Leaves of its own words, in their order. */
  readonly prose: readonly number[];
  /** It may be left out on the way, and then its neighbours touch. */
  readonly isEmpty: boolean;
}

export interface JoinedTurns {
  /** The next message. */
  add(message: SpokenMessage): void;
  /** Leaves of each turn that came in more than one message. */
  rows(): readonly (readonly number[])[];
}

/** They leave their place in the conversation, so that their neighbours become one another's. */
const FRONT_ROLES: ReadonlySet<string | null> = new Set(['system', 'developer']);
/** Results of tools stay apart, each under the id of its call. */
const APART_ROLES: ReadonlySet<string | null> = new Set(['tool', 'function']);

interface Turn {
  readonly role: string | null;
  messages: number;
  readonly leaves: number[];
}

export const createTurns = (): JoinedTurns => {
  const front: Turn = { role: 'system', messages: 0, leaves: [] };
  const turns: Turn[] = [front];
  let open: Turn | null = null;
  const turnOf = (role: string | null): Turn => {
    if (FRONT_ROLES.has(role)) return front;
    if (open === null || open.role !== role || APART_ROLES.has(role)) {
      open = { role, messages: 0, leaves: [] };
      turns.push(open);
    }
    return open;
  };
  return {
    add: ({ role, prose, isEmpty }) => {
      if (isEmpty) return;
      const turn = turnOf(role);
      turn.messages += 1;
      for (const leaf of prose) turn.leaves.push(leaf);
    },
    rows: () => turns.filter(({ messages }) => messages > 1).map(({ leaves }) => leaves),
  };
};

/** A message without a word and without a call. */
export const saysNothing = (message: JsonNode): boolean =>
  message.kind === 'object' && message.members.every(({ name, value }) => name === 'role' || isNothing(value));

const isNothing = (value: JsonNode): boolean => {
  if (value.kind === 'string') return value.start === value.end;
  return value.kind === 'word' || (value.kind === 'array' && value.items.length === 0);
};
