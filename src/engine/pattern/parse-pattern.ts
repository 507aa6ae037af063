/**
 * RE2 syntax -> `PatternNode`. The grammar is closed: what is not written here (Unicode classes, `\B`, `\Q`, `\C`, odd
 * flags, case folding of letters outside ASCII) gives `null`, and such a rule is searched over the whole text. It never
 * decides what matches; a reading that is too wide costs time, one that is too narrow is what the tests look for.
 */
import { addByte, addRange, type ByteSet, bytesOf, emptySet, hasByte, setOf, subtract, union } from './byte-set.js';
import { assertionEscape, characterEscape, classEscape, POSIX_CLASSES } from './pattern-escapes.js';
import type { HighCharacters, ParsedPattern, PatternNode } from './pattern-node.js';

interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  /** `^` and `$` hold at lines too. */
  readonly multiline: boolean;
}

/** Thrown inside this file only. */
class Unreadable extends Error {}

/** U+017F folds to `s`, U+212A to `k`. */
const FOLDED_S = [0xc5, 0xbf];
const FOLDED_K = [0xe2, 0x84, 0xaa];

const ALL_ASCII = setOf([0, 0x7f]);
const FOLDED_FROM_HIGH = setOf([0x73, 0x73], [0x6b, 0x6b]);

const LARGEST_REPEAT = 1000;

interface Reader {
  readonly text: string;
  at: number;
  groups: { index: number; at: number; length: number }[];
}

const peek = (reader: Reader): string => reader.text.charAt(reader.at);

const take = (reader: Reader, token: string): boolean => {
  if (!reader.text.startsWith(token, reader.at)) return false;
  reader.at += token.length;
  return true;
};

const foldAscii = (ascii: ByteSet): ByteSet => {
  const folded = ascii.slice();
  for (const byte of bytesOf(ascii)) {
    if (byte >= 0x41 && byte <= 0x5a) addByte(folded, byte | 0x20);
    if (byte >= 0x61 && byte <= 0x7a) addByte(folded, byte & ~0x20);
  }
  return folded;
};

/** The characters outside ASCII that a set of ASCII letters also stands for when letter case is ignored. */
const foldedHigh = (ascii: ByteSet): HighCharacters => {
  const sequences: (readonly number[])[] = [];
  if (hasByte(ascii, 0x73)) sequences.push(FOLDED_S);
  if (hasByte(ascii, 0x6b)) sequences.push(FOLDED_K);
  return sequences.length === 0 ? 'none' : sequences;
};

const character = (ascii: ByteSet, high: HighCharacters, flags: Flags): PatternNode => {
  if (!flags.ignoreCase) return { kind: 'character', ascii, high };
  const folded = foldAscii(ascii);
  return { kind: 'character', ascii: folded, high: high === 'none' ? foldedHigh(folded) : high };
};

const utf8 = (point: number): number[] => [...Buffer.from(String.fromCodePoint(point), 'utf8')];

/** A literal code point. */
const literal = (point: number, flags: Flags): PatternNode => {
  const ascii = emptySet();
  if (point < 0x80) {
    addByte(ascii, point);
    return character(ascii, 'none', flags);
  }
  // What letters outside ASCII fold to is not known here.
  if (flags.ignoreCase || (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) throw new Unreadable();
  return { kind: 'character', ascii, high: [utf8(point)] };
};

/** A set that is being read between brackets. `high` says that characters outside ASCII are in it. */
interface ClassDraft {
  ascii: ByteSet;
  high: boolean;
}

const readPosixClass = (reader: Reader, draft: ClassDraft): boolean => {
  const name = /^\[:(\^?)([a-z]+):\]/.exec(reader.text.slice(reader.at));
  if (name === null) return false;
  const set = POSIX_CLASSES.get(name[2] ?? '');
  if (set === undefined) throw new Unreadable();
  reader.at += name[0].length;
  const negated = name[1] === '^';
  draft.ascii = union(draft.ascii, negated ? subtract(ALL_ASCII, set) : set);
  if (negated) draft.high = true;
  return true;
};

/** One end of a range; `null` when a whole class such as `\w` was read into the draft. */
const readClassAtom = (reader: Reader, draft: ClassDraft): number | null => {
  if (peek(reader) === '\\') {
    const whole = classEscape(reader.text, reader.at);
    if (whole !== null) {
      reader.at += whole.length;
      draft.ascii = union(draft.ascii, whole.ascii);
      if (whole.high) draft.high = true;
      return null;
    }
    const single = characterEscape(reader.text, reader.at);
    if (single === null) throw new Unreadable();
    reader.at += single.length;
    return single.point;
  }
  const point = reader.text.codePointAt(reader.at);
  if (point === undefined) throw new Unreadable();
  reader.at += point > 0xffff ? 2 : 1;
  return point;
};

const addToClass = (draft: ClassDraft, from: number, to: number): void => {
  if (to < from) throw new Unreadable();
  if (from < 0x80) addRange(draft.ascii, from, Math.min(to, 0x7f));
  if (to >= 0x80) draft.high = true;
};

/** Letter case is folded before a class is negated. U+017F and U+212A bring in the letters they fold to. */
const classOf = ({ ascii, high }: ClassDraft, negated: boolean, flags: Flags): PatternNode => {
  if (!negated) {
    const withFolded = high && flags.ignoreCase ? union(ascii, FOLDED_FROM_HIGH) : ascii;
    return character(withFolded, high ? 'any' : 'none', flags);
  }
  // What such a class takes out of ASCII hangs on how its other letters fold, which is not known here.
  if (high && flags.ignoreCase) throw new Unreadable();
  return { kind: 'character', ascii: subtract(ALL_ASCII, flags.ignoreCase ? foldAscii(ascii) : ascii), high: 'any' };
};

const readClass = (reader: Reader, flags: Flags): PatternNode => {
  reader.at += 1;
  const negated = take(reader, '^');
  const draft: ClassDraft = { ascii: emptySet(), high: false };
  for (let first = true; first || peek(reader) !== ']'; first = false) {
    if (reader.at >= reader.text.length) throw new Unreadable();
    if (readPosixClass(reader, draft)) continue;
    const from = readClassAtom(reader, draft);
    if (from === null) continue;
    let to: number | null = from;
    if (peek(reader) === '-' && reader.text.charAt(reader.at + 1) !== ']') {
      reader.at += 1;
      to = readClassAtom(reader, draft);
      if (to === null) throw new Unreadable();
    }
    addToClass(draft, from, to);
  }
  reader.at += 1;
  return classOf(draft, negated, flags);
};

const readFlags = (letters: string, flags: Flags): Flags => {
  let on = true;
  let { ignoreCase, dotAll, multiline } = flags;
  for (const letter of letters) {
    if (letter === '-') on = false;
    else if (letter === 'i') ignoreCase = on;
    else if (letter === 's') dotAll = on;
    else if (letter === 'm') multiline = on;
    // `U` decides only which of several matches is taken.
    else if (letter !== 'U') throw new Unreadable();
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
    reader.groups.push({ index, at, length: reader.at - at });
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
  const part = readAlternate(reader, opening.flags);
  if (!take(reader, ')')) throw new Unreadable();
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
  if (here === '$') return { node: { kind: 'assert', assertion: 'other' }, flags };
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
    const atom = readAtom(reader, flags);
    flags = atom.flags;
    let node = atom.node;
    for (let bounds = readRepeat(reader); bounds !== null; bounds = readRepeat(reader)) {
      take(reader, '?');
      node = { kind: 'repeat', part: node, ...bounds };
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
  const reader: Reader = { text: pattern, at: 0, groups: [] };
  try {
    const root = readAlternate(reader, { ignoreCase: false, dotAll: false, multiline: false });
    return reader.at === pattern.length ? { root, groups: reader.groups } : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
};
