/** Bracket expressions: `[a-z]`, `[^"\s]`, `[[:alnum:]_]`. Unicode classes are not covered. */
import { addRange, type ByteSet, emptySet, subtract, union } from './byte-set.js';
import { ALL_ASCII, character, FOLDED_FROM_HIGH, foldAscii, Unreadable } from './character-node.js';
import { characterEscape, classEscape, POSIX_CLASSES } from './pattern-escapes.js';
import type { Flags, PatternNode } from './pattern-node.js';
import { peek, type Reader, take } from './pattern-reader.js';

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

/** Reads from `[` to behind its `]`. */
export const readClass = (reader: Reader, flags: Flags): PatternNode => {
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
