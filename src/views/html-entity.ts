/** HTML and XML character references: numeric ones, and the named ones that stand for ASCII or for nothing that is seen. */
import { byteAt, HEX_VALUES, isDigit, isLetter, NO_VALUE } from './byte-tables.js';
import { addEdit, type PointEdits } from './edits.js';

const SEMICOLON = 0x3b;
const HASH = 0x23;
const LONGEST_NAME_BYTES = 14;
const LONGEST_NUMBER_DIGITS = 8;

/** Names of ASCII and of invisible characters in the HTML standard's table of named character references. */
const NAMES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '&': 'amp AMP',
    '<': 'lt LT',
    '>': 'gt GT',
    '"': 'quot QUOT',
    "'": 'apos',
    ' ': 'nbsp',
    '=': 'equals',
    '+': 'plus',
    '/': 'sol',
    '\\': 'bsol',
    ':': 'colon',
    ';': 'semi',
    ',': 'comma',
    '.': 'period',
    '!': 'excl',
    '?': 'quest',
    '@': 'commat',
    '#': 'num',
    $: 'dollar',
    '%': 'percnt',
    '(': 'lpar',
    ')': 'rpar',
    '[': 'lsqb lbrack',
    ']': 'rsqb rbrack',
    '{': 'lcub lbrace',
    '}': 'rcub rbrace',
    _: 'lowbar UnderBar',
    '-': 'hyphen dash',
    '*': 'ast midast',
    '|': 'vert verbar VerticalLine',
    '`': 'grave',
    '^': 'Hat',
    '\t': 'Tab',
    '\n': 'NewLine',
    '\u00ad': 'shy',
    '\u200b': 'ZeroWidthSpace',
    '\u200c': 'zwnj',
    '\u200d': 'zwj',
    '\u200e': 'lrm',
    '\u200f': 'rlm',
    '\u2060': 'NoBreak',
  }).flatMap(([char, names]) => names.split(' ').map((name): [string, number] => [name, char.charCodeAt(0)])),
);

const readNumber = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const hex = (byteAt(bytes, at + 2) | 0x20) === 0x78;
  const from = at + (hex ? 3 : 2);
  let end = from;
  let value = 0;
  while (end - from < LONGEST_NUMBER_DIGITS) {
    const digit = HEX_VALUES[byteAt(bytes, end)] ?? NO_VALUE;
    if (digit === NO_VALUE || (!hex && digit > 9)) break;
    value = value * (hex ? 16 : 10) + digit;
    end += 1;
  }
  if (end === from || byteAt(bytes, end) !== SEMICOLON) return at + 1;
  addEdit(edits, at, end + 1, value);
  return end + 1;
};

/** Adds the reference at `at` (an ampersand), if it is one, and returns where to read on. */
export const readEntity = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const code = byteAt(bytes, at + 1);
  if (code === HASH) return readNumber(bytes, at, edits);
  if (!isLetter(code)) return at + 1;
  let end = at + 1;
  while (end - at <= LONGEST_NAME_BYTES + 2 && (isLetter(byteAt(bytes, end)) || isDigit(byteAt(bytes, end)))) end += 1;
  if (byteAt(bytes, end) !== SEMICOLON) return at + 1;
  const point = NAMES.get(String.fromCharCode(...bytes.subarray(at + 1, end)));
  if (point === undefined) return at + 1;
  addEdit(edits, at, end + 1, point);
  return end + 1;
};
