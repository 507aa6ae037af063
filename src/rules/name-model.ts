/**
 * The model of names and prose as one table: what a letter or digit costs after what stands before it. A value is judged
 * character by character, and random ones would be mispredicted at every branch; a table has none.
 */
import { BIGRAM_BITS, BIGRAM_WIDTH, WORD_EDGE } from './bigram-table.js';

/** Costs are whole eighths of a bit. */
export const EIGHTHS = 8;

export const OTHER = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;

/** Class of each byte. */
export const CLASS_OF: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  return code >= 0x30 && code <= 0x39 ? DIGIT : OTHER;
});

const LETTERS = 26;
const DIGITS = 10;
/** Columns: lower-case letters, upper-case ones, digits. */
export const COLUMNS = 2 * LETTERS + DIGITS;
/** Column of each byte; `COLUMNS` for any other. */
export const COLUMN_OF: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  if (CLASS_OF[code] === LOWER) return code - 0x61;
  if (CLASS_OF[code] === UPPER) return LETTERS + code - 0x41;
  return CLASS_OF[code] === DIGIT ? 2 * LETTERS + code - 0x30 : COLUMNS;
});

/** What stands before: nothing or another character; one of the digits; a letter, its case and what stands before that. */
interface Before {
  readonly kind: number;
  readonly letter: number;
  readonly digit: number;
  /** Class of the character before, where it is a letter's. */
  readonly beforeThat: number;
}

const BEFORES: readonly Before[] = [
  { kind: OTHER, letter: WORD_EDGE, digit: 0, beforeThat: OTHER },
  ...Array.from({ length: DIGITS }, (_, digit) => ({ kind: DIGIT, letter: WORD_EDGE, digit, beforeThat: OTHER })),
  ...[LOWER, UPPER].flatMap((kind) =>
    [OTHER, LOWER, UPPER].flatMap((beforeThat) =>
      Array.from({ length: LETTERS }, (_, letter) => ({ kind, letter, digit: 0, beforeThat })),
    ),
  ),
];

/** The state that nothing, or a character that is neither letter nor digit, leads to. */
export const AFTER_OTHER = 0;

const letterState = (kind: number, letter: number, before: number): number => {
  const beforeThat = before === LOWER || before === UPPER ? before : OTHER;
  return 1 + DIGITS + ((kind - LOWER) * 3 + beforeThat) * LETTERS + letter;
};

const bigram = (before: number, after: number): number => BIGRAM_BITS[before * BIGRAM_WIDTH + after] ?? 12;

const letterBits = ({ kind, letter, beforeThat }: Before, now: number, next: number): number => {
  if (kind === DIGIT) return 4 + bigram(WORD_EDGE, next);
  if (kind === OTHER) return bigram(WORD_EDGE, next);
  if (kind === LOWER && now === UPPER) return 1 + bigram(letter, WORD_EDGE) + bigram(WORD_EDGE, next);
  if (kind === UPPER && now === LOWER) return (beforeThat === UPPER ? 2.5 : 0) + bigram(letter, next);
  return (now === UPPER && beforeThat === LOWER ? 1.5 : 0) + bigram(letter, next);
};

const digitBits = ({ kind, letter, digit }: Before, now: number): number => {
  if (kind === DIGIT) return Math.abs(now - digit) <= 1 ? 1.5 : 3.5;
  return (kind === OTHER ? 1 : 4 + bigram(letter, WORD_EDGE) / 2) + 3;
};

/** `[state * COLUMNS + column]`: eighths of a bit, and the state it leads to. */
export const COSTS: Uint16Array = new Uint16Array(BEFORES.length * COLUMNS);
export const NEXT_STATES: Uint8Array = new Uint8Array(BEFORES.length * COLUMNS);
/** By state: eighths of a bit for a word that ends there, as another character says. */
export const EDGE_COSTS: Uint16Array = new Uint16Array(BEFORES.length);

BEFORES.forEach((before, state) => {
  if (before.kind !== OTHER && before.kind !== DIGIT) {
    EDGE_COSTS[state] = (bigram(before.letter, WORD_EDGE) / 2) * EIGHTHS;
  }
  for (let column = 0; column < COLUMNS; column += 1) {
    const slot = state * COLUMNS + column;
    if (column < 2 * LETTERS) {
      const now = column < LETTERS ? LOWER : UPPER;
      COSTS[slot] = letterBits(before, now, column % LETTERS) * EIGHTHS;
      NEXT_STATES[slot] = letterState(now, column % LETTERS, before.kind);
    } else {
      COSTS[slot] = digitBits(before, column - 2 * LETTERS) * EIGHTHS;
      NEXT_STATES[slot] = 1 + column - 2 * LETTERS;
    }
  }
});
