/**
 * RE2 syntax -> `PatternNode`. The grammar is closed: what is not written here (Unicode classes, `\B`, `\Q`, `\C`, odd
 * flags, case folding of letters outside ASCII) gives `null`, and such a rule is searched over the whole text. It never
 * decides what matches; a reading that is too wide costs time, one that is too narrow is what the tests look for.
 */
import { ALL_ASCII, character, literal, Unreadable } from './character-node.js';
import { assertionEscape, characterEscape, classEscape } from './pattern-escapes.js';
import type { Flags, ParsedPattern, PatternNode } from './pattern-node.js';
import { peek, type Reader, take } from './pattern-reader.js';
import { readClass } from './read-class.js';

const LARGEST_REPEAT = 1000;

const readFlags = (letters: string, flags: Flags): Flags => {
  let on = true;
  let { ignoreCase, dotAll, multiline } = flags;
  for (const letter of letters) {
    if (letter === '-') on = false;
    else if (letter === 'i') ignoreCase = on;
    else if (letter === 's') dotAll = on;
    else if (letter === 'm') multiline = on;
    else throw new Unreadable();
  }
  return { ignoreCase, dotAll, multiline };
};

/** What a `(` opens: the flags inside it, or flags for the rest of the group around it. */
const readOpening = (reader: Reader, flags: Flags): { flags: Flags; group: number | null; alone: boolean } => {
  const at = reader.at;
  reader.at += 1;
  const named = /^\?P?<[A-Za-z0-9_]+>/.exec(reader.text.slice(reader.at));
  if (named !== null || peek(reader) !== '?') {
    reader.at += named?.[0].length ?? 0;
    const index = reader.groups.length + 1;
    reader.groups.push({ index, at, length: reader.at - at, end: -1, depth: reader.depth, flags });
    return { flags, group: index, alone: false };
  }
  const modifier = /^\?([a-zA-Z-]*)([:)])/.exec(reader.text.slice(reader.at));
  if (modifier === null) throw new Unreadable();
  reader.at += modifier[0].length;
  return { flags: readFlags(modifier[1] ?? '', flags), group: null, alone: modifier[2] === ')' };
};

const readGroup = (reader: Reader, flags: Flags): { node: PatternNode; flags: Flags } => {
  const opening = readOpening(reader, flags);
  if (opening.alone) return { node: { kind: 'empty' }, flags: opening.flags };
  reader.depth += 1;
  const part = readAlternate(reader, opening.flags);
  reader.depth -= 1;
  if (!take(reader, ')')) throw new Unreadable();
  const group = opening.group === null ? undefined : reader.groups[opening.group - 1];
  if (group !== undefined) group.end = reader.at;
  return { node: opening.group === null ? part : { kind: 'group', index: opening.group, part }, flags };
};

const readRepeat = (reader: Reader): { least: number; most: number } | null => {
  if (take(reader, '*')) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (take(reader, '+')) return { least: 1, most: Number.POSITIVE_INFINITY };
  if (take(reader, '?')) return { least: 0, most: 1 };
  const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(reader.text.slice(reader.at));
  if (counted === null) return null;
  reader.at += counted[0].length;
  const least = Number(counted[1]);
  const bound = counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
  const most = counted[2] === undefined ? least : bound;
  if (least > LARGEST_REPEAT || most < least) throw new Unreadable();
  return { least, most };
};

const readEscape = (reader: Reader, flags: Flags): PatternNode => {
  const assertion = assertionEscape(reader.text, reader.at);
  if (assertion !== null) {
    reader.at += 2;
    return { kind: 'assert', assertion };
  }
  const whole = classEscape(reader.text, reader.at);
  if (whole !== null) {
    reader.at += whole.length;
    return character(whole.ascii, whole.high ? 'any' : 'none', flags);
  }
  const single = characterEscape(reader.text, reader.at);
  if (single === null) throw new Unreadable();
  reader.at += single.length;
  return literal(single.point, flags);
};

const readAtom = (reader: Reader, flags: Flags): { node: PatternNode; flags: Flags } => {
  const here = peek(reader);
  if (here === '(') return readGroup(reader, flags);
  if (here === '[') return { node: readClass(reader, flags), flags };
  if (here === '\\') return { node: readEscape(reader, flags), flags };
  if (here === '*' || here === '+' || here === '?') throw new Unreadable();
  const point = reader.text.codePointAt(reader.at);
  if (point === undefined) throw new Unreadable();
  reader.at += point > 0xffff ? 2 : 1;
  if (here === '^') {
    return { node: { kind: 'assert', assertion: flags.multiline ? 'line-start' : 'text-start' }, flags };
  }
  if (here === '$') return { node: { kind: 'assert', assertion: flags.multiline ? 'line-end' : 'text-end' }, flags };
  if (here === '.') {
    const ascii = ALL_ASCII.slice();
    if (!flags.dotAll) ascii[0] = (ascii[0] ?? 0) & ~(1 << 0x0a);
    return { node: { kind: 'character', ascii, high: 'any' }, flags };
  }
  return { node: literal(point, flags), flags };
};

const readConcat = (reader: Reader, outer: Flags): { node: PatternNode; flags: Flags } => {
  const parts: PatternNode[] = [];
  let flags = outer;
  while (reader.at < reader.text.length && peek(reader) !== '|' && peek(reader) !== ')') {
    if (reader.depth === 0) reader.parts.push({ at: reader.at, flags });
    const atom = readAtom(reader, flags);
    flags = atom.flags;
    let node = atom.node;
    for (let bounds = readRepeat(reader); bounds !== null; bounds = readRepeat(reader)) {
      node = { kind: 'repeat', part: node, ...bounds, lazy: take(reader, '?') };
    }
    parts.push(node);
  }
  const [only] = parts;
  return { node: parts.length === 1 && only !== undefined ? only : { kind: 'concat', parts }, flags };
};

/** Flags that are set in one branch hold in the ones after it. */
function readAlternate(reader: Reader, outer: Flags): PatternNode {
  const parts: PatternNode[] = [];
  let flags = outer;
  do {
    const branch = readConcat(reader, flags);
    flags = branch.flags;
    parts.push(branch.node);
  } while (take(reader, '|'));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'alternate', parts };
}

/** @returns `null` for a pattern that this grammar does not cover; whether RE2 takes it is not judged */
export const parsePattern = (pattern: string): ParsedPattern | null => {
  const reader: Reader = { text: pattern, at: 0, depth: 0, groups: [], parts: [] };
  try {
    const root = readAlternate(reader, { ignoreCase: false, dotAll: false, multiline: false });
    if (reader.at < pattern.length) return null;
    const isSequence = root.kind === 'concat' && root.parts.length === reader.parts.length;
    const [first] = reader.parts;
    return { root, groups: reader.groups, parts: isSequence || first === undefined ? reader.parts : [first] };
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
};
