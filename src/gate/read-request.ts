/**
 * From the bytes of a body to the request as it is looked at. Both formats are read by one walk: what it does not know it
 * treats like the rest, so that a member of tomorrow's API is scanned and not passed by.
 */
import { isUtf8 } from 'node:buffer';
import { ColdsealError } from '../contract/error.js';
import type { GateItem, GateRequest, GateToken } from './gate-request.js';
import { createGatherer } from './gather-leaves.js';
import { createTurns, saysNothing } from './joined-turns.js';
import { type JsonMember, type JsonNode, memberText, readJson, stringText } from './json-tree.js';
import { createPace, inOneGo, type Steps } from './steps.js';
import { surfacesOf } from './surfaces.js';

/** More messages than any conversation has; each is a row's item. */
const MOST_MESSAGES = 100_000;
/** Values and names of a request, those of JSON in its strings included: a body of numbers alone is memory, not words. */
export const MOST_VALUES = 100_000;

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const FREE: ReadonlySet<string> = new Set(['tools', 'functions', 'metadata', 'response_format']);

/** `USAGE` for a body that is no JSON object; `ITEM_TOO_LARGE`. */
export const readRequest = (body: Uint8Array): GateRequest => inOneGo(readingRequest(body));

/** The same, which lets others have their turns. */
export function* readingRequest(body: Uint8Array): Steps<GateRequest> {
  if (!isUtf8(body)) throw unreadable('it is not UTF-8');
  const budget = { values: MOST_VALUES };
  const pace = createPace();
  const read = yield* readJson(body, budget, pace);
  if (!read.ok) throw read.isOverBudget ? tooManyValues() : unreadable(read.why);
  if (read.root.kind !== 'object') throw unreadable('it is no JSON object');
  const { members } = read.root;
  const tokens: GateToken[] = [];
  const items: GateItem[] = [];
  const { gathered, key, value } = createGatherer(budget, pace);
  const turns = createTurns();
  // Keys of the body and what is no message belong to one item, the first.
  items.push({ input: 'members', label: 'members', bytes: 0 });
  let bytesInItems = 0;
  const addItem = (input: GateItem['input'], label: string, node: JsonNode): number => {
    items.push({ input, label, bytes: node.end - node.start });
    bytesInItems += node.end - node.start;
    return items.length - 1;
  };

  for (const member of members) {
    yield* key(tokens, body, 0, member.key);
    const node = member.value;
    const options = {
      isFree: FREE.has(member.name),
      isExempt: member.name === 'model',
      isSeparate: false,
      prose: null,
    };
    if (member.name === 'messages' && node.kind === 'array') {
      if (node.items.length > MOST_MESSAGES) throw tooMany(node.items.length);
      for (const [index, message] of node.items.entries()) {
        const item = addItem('message', `messages[${index}] ${roleOf(body, message)}`, message);
        const prose: number[] = [];
        yield* value(tokens, body, item, message, { ...options, prose });
        turns.add({ role: memberText(body, message, 'role'), prose, isEmpty: saysNothing(message) });
      }
    } else if (member.name === 'system') {
      yield* value(tokens, body, addItem('system', 'system', node), node, options);
    } else if (member.name === 'tools' || member.name === 'functions') {
      yield* value(tokens, body, addItem('tools', member.name, node), node, { ...options, isSeparate: true });
    } else yield* value(tokens, body, 0, node, options);
  }
  gathered.rows.push(...turns.rows());
  items[0] = { input: 'members', label: 'members', bytes: body.length - bytesInItems };
  const document = { bytes: body, tokens };
  const { leaves, opaque } = gathered;
  return {
    document,
    model: modelOf(body, members),
    items,
    leaves,
    surfaces: surfacesOf(document, gathered),
    opaque,
    isAmbiguous: isAmbiguous(read.root) || differInCaseAlone(members),
  };
}

/** `USAGE` for a body that two readers could read in two ways. */
export const refuseAmbiguous = ({ isAmbiguous: isSo }: GateRequest): void => {
  if (isSo) throw unreadable('a name stands twice in one object, perhaps in another letter case');
};

const isAmbiguous = (node: JsonNode): boolean => {
  if (node.kind === 'array') return node.items.some(isAmbiguous);
  return node.kind === 'object' && (node.isAmbiguous || node.members.some(({ value }) => isAmbiguous(value)));
};

/** Go's reader takes `Model` for `model`, and of both the last; the letters K and s have a second form that counts too. */
const differInCaseAlone = (members: readonly JsonMember[]): boolean =>
  new Set(members.map(({ name }) => name.toUpperCase().toLowerCase())).size < members.length;

const modelOf = (body: Uint8Array, members: readonly JsonMember[]): string | null => {
  const model = members.find(({ name }) => name === 'model')?.value;
  return model?.kind === 'string' ? stringText(body, model) : null;
};

const roleOf = (body: Uint8Array, message: JsonNode): string => {
  const role = memberText(body, message, 'role');
  return role !== null && ROLES.has(role) ? role : 'other';
};

const unreadable = (why: string): ColdsealError =>
  new ColdsealError('USAGE', `The body cannot be read as one JSON request: ${why}. Nothing was sent.`);

const tooManyValues = (): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `The request holds more than ${MOST_VALUES} values and names; it was not read to its end. Nothing was sent.`,
    { facts: { most_values: MOST_VALUES } },
  );

const tooMany = (messages: number): ColdsealError =>
  new ColdsealError('ITEM_TOO_LARGE', `The request has ${messages} messages; at most ${MOST_MESSAGES} travel.`, {
    facts: { messages, most: MOST_MESSAGES },
  });
