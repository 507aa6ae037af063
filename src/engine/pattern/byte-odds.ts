/** How often a literal turns up in ordinary source text, judged by pairs of bytes. Only speed hangs on it. */

import { ODDS_DIGITS, ODDS_ROWS, ODDS_SYMBOLS } from './byte-odds-table.js';
import { type ByteSet, bytesOf, foldSet } from './byte-set.js';

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

/** Chance that the sets stand one after the other at some place of a text, letter case ignored. */
export const literalOdds = (literal: readonly ByteSet[]): number => {
  // By kind of the last byte, the chance of everything up to it.
  let chances = new Map<number, number>([[ODDS_SYMBOLS, 1]]);
  for (const set of literal) {
    const next = new Map<number, number>();
    for (const byte of bytesOf(foldSet(set))) {
      const symbol = SYMBOLS[byte] ?? 0;
      for (const [before, chance] of chances) {
        next.set(symbol, (next.get(symbol) ?? 0) + chance * oddsOf(before, byte));
      }
    }
    chances = next;
  }
  return [...chances.values()].reduce((total, chance) => total + chance, 0);
};

/** Upper-case letters make about this share of all letters. */
const UPPER_SHARE = 0.1;

/** Chance of the byte as it is at some place of a text. */
export const byteOdds = (byte: number): number => {
  const odds = oddsOf(ODDS_SYMBOLS, byte);
  if (byte >= 0x41 && byte <= 0x5a) return odds * UPPER_SHARE;
  return byte >= 0x61 && byte <= 0x7a ? odds * (1 - UPPER_SHARE) : odds;
};
