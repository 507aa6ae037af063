/** How often a literal turns up in ordinary source text, judged by pairs of bytes and common words. Only speed hangs on it. */

import { ODDS_DIGITS, ODDS_ROWS, ODDS_SYMBOLS } from './byte-odds-table.js';
import { type ByteSet, bytesOf, foldSet } from './byte-set.js';
import { COMMON_WORDS } from './common-words.js';

const PUNCTUATION = ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const DIGIT_SYMBOL = 26;

const symbolOf = (byte: number): number => {
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61;
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT_SYMBOL;
  const mark = byte < 0x80 ? PUNCTUATION.indexOf(String.fromCharCode(byte)) : -1;
  if (mark >= 0) return DIGIT_SYMBOL + 1 + mark;
  if (byte === 0x0a) return 60;
  if (byte === 0x09) return 61;
  return byte >= 0x80 ? 62 : 63;
};

const SYMBOLS = Uint8Array.from({ length: 256 }, (_, byte) => symbolOf(byte));
const ODDS = Float64Array.from(ODDS_ROWS.join(''), (digit) => 2 ** (-ODDS_DIGITS.indexOf(digit) / 4));

/** Chance that `byte` comes after a byte of kind `before`; a symbol that stands for several bytes shares it among them. */
const oddsOf = (before: number, byte: number): number => {
  const symbol = SYMBOLS[byte] ?? 0;
  const shared = symbol === DIGIT_SYMBOL ? 10 : symbol >= 62 ? 64 : 1;
  return (ODDS[before * ODDS_SYMBOLS + symbol] ?? 0) / shared;
};

/** Chance that folded bytes stand one after the other, the first behind a byte of kind `before`. */
const pairOdds = (literal: readonly (readonly number[])[], before: number): number => {
  // By kind of the last byte, the chance of everything up to it.
  let chances = new Map<number, number>([[before, 1]]);
  for (const bytes of literal) {
    const next = new Map<number, number>();
    for (const byte of bytes) {
      const symbol = SYMBOLS[byte] ?? 0;
      for (const [last, chance] of chances) {
        next.set(symbol, (next.get(symbol) ?? 0) + chance * oddsOf(last, byte));
      }
    }
    chances = next;
  }
  return [...chances.values()].reduce((total, chance) => total + chance, 0);
};

/** The letters that a literal begins with. */
const wordOf = (literal: readonly (readonly number[])[]): string => {
  let word = '';
  for (const [byte, other] of literal) {
    if (byte === undefined || other !== undefined || byte < 0x61 || byte > 0x7a) break;
    word += String.fromCharCode(byte);
  }
  return word;
};

const WORDS: readonly (readonly [string, number])[] = COMMON_WORDS.flatMap(([bits, lines]) =>
  lines.flatMap((line) => line.split(' ')).map((word) => [word, 2 ** -bits] as const),
);

/** What follows a word follows it more often than it follows the word's last letter elsewhere (`http:`). */
const LEAST_REST_ODDS = 0.1;

/** Chance of the literal by the common words that it is the beginning of, or that it begins with. */
const wordOdds = (literal: readonly (readonly number[])[]): number => {
  const word = wordOf(literal);
  if (word.length < 3) return 0;
  let total = 0;
  for (const [one, odds] of WORDS) {
    if (word.length === literal.length && one.startsWith(word)) total += odds;
    else if (word.startsWith(one)) {
      const last = SYMBOLS[one.charCodeAt(one.length - 1)] ?? 0;
      const rest = literal.slice(one.length);
      total += odds * Math.max(pairOdds(rest, last), LEAST_REST_ODDS ** rest.length);
    }
  }
  return total;
};

const folded = new Map<ByteSet, readonly number[]>();

const foldedBytes = (set: ByteSet): readonly number[] => {
  const known = folded.get(set) ?? bytesOf(foldSet(set));
  folded.set(set, known);
  return known;
};

/** Chance that the sets stand one after the other at some place of a text, letter case ignored. */
export const literalOdds = (literal: readonly ByteSet[]): number => {
  const bytes = literal.map(foldedBytes);
  return Math.max(pairOdds(bytes, ODDS_SYMBOLS), wordOdds(bytes));
};

/** Upper-case letters make about this share of all letters. */
const UPPER_SHARE = 0.1;

/** Chance of the byte as it is at some place of a text. */
export const byteOdds = (byte: number): number => {
  const odds = oddsOf(ODDS_SYMBOLS, byte);
  if (byte >= 0x41 && byte <= 0x5a) return odds * UPPER_SHARE;
  return byte >= 0x61 && byte <= 0x7a ? odds * (1 - UPPER_SHARE) : odds;
};
