/**
 * One filter of a rule file as a typed value. Names of checksums and judgements are closed sets: a misspelled one must
 * not load, because a filter that is silently absent would blank too much and one that is silently false too little.
 */
import type { Filter } from '../contract/rule.js';
import { CHECKSUM_NAMES } from './checksums.js';
import { JUDGEMENT_NAMES } from './judgements.js';

type Fault = (what: string) => Error;
type Members = Readonly<Record<string, unknown>>;

const MEMBERS: Readonly<Record<Filter['kind'], readonly string[]>> = {
  'not-reference': [],
  rarity: ['least'],
  entropy: ['least'],
  'not-word': ['words'],
  'not-match': ['pattern'],
  'not-behind': ['pattern'],
  classes: ['least'],
  checksum: ['algorithm'],
  judge: ['name'],
};

const isFilterKind = (value: unknown): value is Filter['kind'] =>
  typeof value === 'string' && Object.hasOwn(MEMBERS, value);

const numberOf = (members: Members, name: string, fault: Fault): number => {
  const value = members[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw fault(`member "${name}" must be a number`);
  return value;
};

const nameOf = (members: Members, name: string, known: readonly string[], fault: Fault): string => {
  const value = members[name];
  if (typeof value !== 'string' || !known.includes(value)) {
    throw fault(`member "${name}" must be one of ${known.join(', ')}`);
  }
  return value;
};

const wordsOf = (members: Members, fault: Fault): readonly string[] => {
  const value = members['words'];
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string')) {
    throw fault('member "words" must be a list of texts');
  }
  return value.map((word) => word.toLowerCase());
};

/** Throws what `fault` makes of the first wrong member. */
export const parseFilter = (value: unknown, fault: Fault): Filter => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('a filter must be an object');
  const members: Members = { ...value };
  const kind = members['kind'];
  if (!isFilterKind(kind)) throw fault(`member "kind" must be one of ${Object.keys(MEMBERS).join(', ')}`);
  const known = MEMBERS[kind];
  for (const name of Object.keys(members)) {
    if (name !== 'kind' && !known.includes(name)) throw fault(`member "${name}" is not known for "${kind}"`);
  }
  switch (kind) {
    case 'not-reference':
      return { kind };
    case 'rarity':
    case 'entropy':
    case 'classes':
      return { kind, least: numberOf(members, 'least', fault) };
    case 'not-word':
      return { kind, words: wordsOf(members, fault) };
    case 'not-match':
    case 'not-behind': {
      const pattern = members['pattern'];
      if (typeof pattern !== 'string' || pattern === '') throw fault('member "pattern" must be a text');
      return { kind, pattern };
    }
    case 'checksum':
      return { kind, algorithm: nameOf(members, 'algorithm', CHECKSUM_NAMES, fault) };
    case 'judge':
      return { kind, name: nameOf(members, 'name', JUDGEMENT_NAMES, fault) };
  }
};
