/**
 * Backslash escapes of JSON and of the languages that write strings alike: `\"`, `\n`, `\uXXXX` with surrogates,
 * `\u{...}`, `\UXXXXXXXX`, `\xHH`, octal, a backslash before any other punctuation (`ghp\_...` in Markdown), and a line
 * that goes on after a backslash. A backslash before any other letter is left: `\d` and `C:\Users` are no escapes.
 */
import { byteAt, HEX_VALUES, hexPair, isBlank, isLetter, NO_VALUE } from './byte-tables.js';
import { addEdit, DROPPED, type PointEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';
import { nextLine, skipBlanks } from './line-break.js';

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Deepest indentation that is skipped after a continued line. */
const INDENT_BYTES = 64;

const LETTERS: ReadonlyMap<number, number> = new Map(
  [
    ['b', 8],
    ['f', 12],
    ['n', 10],
    ['r', 13],
    ['t', 9],
    ['v', 11],
    ['e', 27],
    ['a', 7],
  ].map(([letter, code]) => [String(letter).charCodeAt(0), Number(code)]),
);

/** The value of exactly `count` hex digits at `at`, or -1. */
const hexDigits = (bytes: Uint8Array, at: number, count: number): number => {
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const digit = HEX_VALUES[bytes[at + i] ?? 0] ?? NO_VALUE;
    if (digit === NO_VALUE) return -1;
    value = value * 16 + digit;
  }
  return value;
};

/** `\u`: four digits, a pair of surrogates, or braces around one to six digits. */
const readUnicode = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  if (byteAt(bytes, at + 2) === OPEN_BRACE) {
    let count = 0;
    while (count < 6 && hexDigits(bytes, at + 3 + count, 1) !== -1) count += 1;
    const end = at + 4 + count;
    if (count === 0 || byteAt(bytes, end - 1) !== CLOSE_BRACE) return at + 2;
    addEdit(edits, at, end, hexDigits(bytes, at + 3, count));
    return end;
  }
  const unit = hexDigits(bytes, at + 2, 4);
  if (unit === -1) return at + 2;
  const high = unit >= 0xd800 && unit <= 0xdbff;
  const paired = high && byteAt(bytes, at + 6) === BACKSLASH && byteAt(bytes, at + 7) === LOWER_U;
  const low = paired ? hexDigits(bytes, at + 8, 4) : -1;
  const whole = low >= 0xdc00 && low <= 0xdfff;
  const end = at + (whole ? 12 : 6);
  addEdit(edits, at, end, whole ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit);
  return end;
};

/** `\xHH`: several spell UTF-8 together; a high one alone is a code point, as in JavaScript. */
const readHex = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const first = hexPair(bytes, at + 2);
  if (first === -1) return at + 2;
  const point = readCodePoint(first, (k) => {
    const next = at + k * 4;
    return byteAt(bytes, next) === BACKSLASH && byteAt(bytes, next + 1) === 0x78 ? hexPair(bytes, next + 2) : -1;
  });
  const end = at + 4 * (point === -1 ? 1 : utf8Length(first));
  addEdit(edits, at, end, point === -1 ? first : point);
  return end;
};

const isOctal = (code: number): boolean => code >= 0x30 && code <= 0x37;

const readOctal = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  let end = at + 1;
  let value = 0;
  while (end < at + 4 && isOctal(byteAt(bytes, end))) {
    value = value * 8 + (byteAt(bytes, end) - 0x30);
    end += 1;
  }
  addEdit(edits, at, end, value & 255);
  return end;
};

/** A continued line. Glued to what stands before, it continues a value: then the next line's indentation goes too. */
const readContinuation = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const next = nextLine(bytes, at + 1);
  if (next === -1) return at + 1;
  const end = isBlank(byteAt(bytes, at - 1)) ? next : skipBlanks(bytes, next, INDENT_BYTES);
  addEdit(edits, at, end, DROPPED);
  return end;
};

const isPunctuation = (code: number): boolean => code > 0x20 && code < 0x7f && !isLetter(code);

/** Adds the escape at `at` (a backslash), if it is one, and returns where to read on. */
export const readEscape = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const code = byteAt(bytes, at + 1);
  if (code === LOWER_U) return readUnicode(bytes, at, edits);
  if (code === 0x78) return readHex(bytes, at, edits);
  if (isOctal(code)) return readOctal(bytes, at, edits);
  if (code === 0x0a || code === 0x0d) return readContinuation(bytes, at, edits);
  const letter = LETTERS.get(code);
  const wide = code === 0x55 ? hexDigits(bytes, at + 2, 8) : -1;
  const end = at + (wide === -1 ? 2 : 10);
  if (letter !== undefined) addEdit(edits, at, end, letter);
  else if (wide !== -1) addEdit(edits, at, end, wide);
  else if (isPunctuation(code)) addEdit(edits, at, end, code);
  return end;
};
