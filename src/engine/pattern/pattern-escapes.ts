/**
 * The backslash escapes and bracket classes of RE2 that the pattern reader knows, as sets of ASCII bytes and whether
 * characters outside ASCII belong to them. From RE2's syntax page (github.com/google/re2/wiki/Syntax).
 */
import { type ByteSet, setOf, subtract } from './byte-set.js';
import type { Assertion } from './pattern-node.js';

const code = (text: string): number => text.charCodeAt(0);
const range = (from: string, to: string): readonly [number, number] => [code(from), code(to)];
const one = (text: string): readonly [number, number] => range(text, text);

const ASCII = setOf([0, 0x7f]);
const DIGIT = setOf(range('0', '9'));
export const WORD = setOf(range('0', '9'), range('A', 'Z'), range('a', 'z'), one('_'));
/** Without the vertical tab, unlike other engines. */
const SPACE = setOf([0x09, 0x0a], [0x0c, 0x0d], one(' '));

export const POSIX_CLASSES: ReadonlyMap<string, ByteSet> = new Map([
  ['alnum', setOf(range('0', '9'), range('A', 'Z'), range('a', 'z'))],
  ['alpha', setOf(range('A', 'Z'), range('a', 'z'))],
  ['ascii', ASCII],
  ['blank', setOf([0x09, 0x09], one(' '))],
  ['cntrl', setOf([0, 0x1f], [0x7f, 0x7f])],
  ['digit', DIGIT],
  ['graph', setOf([0x21, 0x7e])],
  ['lower', setOf(range('a', 'z'))],
  ['print', setOf([0x20, 0x7e])],
  ['punct', setOf([0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e])],
  ['space', setOf([0x09, 0x0d], one(' '))],
  ['upper', setOf(range('A', 'Z'))],
  ['word', WORD],
  ['xdigit', setOf(range('0', '9'), range('A', 'F'), range('a', 'f'))],
]);

export interface ClassEscape {
  readonly length: number;
  readonly ascii: ByteSet;
  readonly high: boolean;
}

const CLASSES: ReadonlyMap<string, ByteSet> = new Map([
  ['d', DIGIT],
  ['w', WORD],
  ['s', SPACE],
]);

/** `\d`, `\W`, ... at `at`, where a backslash stands. */
export const classEscape = (text: string, at: number): ClassEscape | null => {
  const letter = text.charAt(at + 1);
  const set = CLASSES.get(letter.toLowerCase());
  if (set === undefined) return null;
  const negated = letter !== letter.toLowerCase();
  return { length: 2, ascii: negated ? subtract(ASCII, set) : set, high: negated };
};

/** `\B` is left out: RE2 may see it between the bytes of one character. */
export const assertionEscape = (text: string, at: number): Assertion | null => {
  const letter = text.charAt(at + 1);
  if (letter === 'b') return 'word-boundary';
  if (letter === 'A') return 'text-start';
  return letter === 'z' ? 'text-end' : null;
};

export interface CharacterEscape {
  readonly length: number;
  readonly point: number;
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

/** One character: `\n`, `\x41`, `\x{1F600}`, `\.`; null for anything else. */
export const characterEscape = (text: string, at: number): CharacterEscape | null => {
  const rest = text.slice(at + 1, at + 12);
  const control = CONTROLS.get(rest.charAt(0));
  if (control !== undefined) return { length: 2, point: control };
  const hex = /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(rest);
  if (hex !== null) return { length: 1 + hex[0].length, point: Number.parseInt(hex[1] ?? hex[2] ?? '', 16) };
  // Punctuation stands for itself; a letter or digit that is not above does not.
  return /^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(rest) ? { length: 2, point: rest.charCodeAt(0) } : null;
};
