/**
 * Whether a value looks made by a generator or a careful person, and not like a name, a path or a piece of prose.
 *
 * The judgement is a likelihood ratio in bits: how much worse a small model of names and prose explains the value than
 * "characters drawn at random from the classes it uses" does. Shannon entropy alone was rejected: it cannot tell
 * `getElementsByClassName` from sixteen random letters, and calls every long identifier a secret.
 */
import {
  AFTER_OTHER,
  CLASS_OF,
  COLUMN_OF,
  COLUMNS,
  COSTS,
  DIGIT,
  EDGE_COSTS,
  EIGHTHS,
  LOWER,
  NEXT_STATES,
  OTHER,
  UPPER,
} from './name-model.js';

/** What `isRare` asks for, in bits; about 1 in 4,000 names of 16 or more characters is over it. */
export const RARE_BITS = 14;

/** Longer values are judged by their first bytes: the verdict is settled long before. */
const JUDGED_BYTES = 512;

const SAME_COST = 0.5 * EIGHTHS;
const JOINER_COST = 1.5 * EIGHTHS;
const SYMBOL_COST = 7 * EIGHTHS;

/** What joins words in names and prose, by byte. */
const JOINERS = new Uint8Array(256);
for (const char of '_-./ :@,=') JOINERS[char.charCodeAt(0)] = 1;

/** Bits the model of names and prose needs for `[from, to)`. */
const nameBits = (bytes: Uint8Array, from: number, to: number): number => {
  let eighths = 0;
  let state = AFTER_OTHER;
  let beforeCode = 0;
  for (let at = from; at < to; at++) {
    const code = bytes[at] ?? 0;
    const column = COLUMN_OF[code] ?? COLUMNS;
    if (column < COLUMNS) {
      const slot = state * COLUMNS + column;
      eighths += COSTS[slot] ?? 0;
      state = NEXT_STATES[slot] ?? AFTER_OTHER;
    } else {
      if (code === beforeCode) eighths += SAME_COST;
      else eighths += (EDGE_COSTS[state] ?? 0) + (JOINERS[code] === 1 ? JOINER_COST : SYMBOL_COST);
      state = AFTER_OTHER;
    }
    beforeCode = code;
  }
  return eighths / EIGHTHS;
};

const JOINER = 1 << 4;
const SYMBOL = 1 << 5;
const NOT_HEX = 1 << 6;

/** What each byte says about the classes that a value is drawn from. */
const DRAWN_FROM = Uint8Array.from({ length: 256 }, (_, code) => {
  const now = CLASS_OF[code] ?? OTHER;
  if (now === OTHER) return NOT_HEX | (JOINERS[code] === 1 || code === 0x2b ? JOINER : SYMBOL);
  return (1 << now) | (now !== DIGIT && (code | 0x20) > 0x66 ? NOT_HEX : 0);
});

/** Bits per character of a value drawn at random from the classes it uses. */
const randomBitsPerCharacter = (bytes: Uint8Array, from: number, to: number): number => {
  let seen = 0;
  for (let at = from; at < to; at++) seen |= DRAWN_FROM[bytes[at] ?? 0] ?? 0;
  const has = (bit: number): boolean => (seen & bit) !== 0;
  const letters = has(NOT_HEX) ? 26 : 6;
  const lettersDrawn = (has(1 << LOWER) ? letters : 0) + (has(1 << UPPER) ? letters : 0);
  const size = lettersDrawn + (has(1 << DIGIT) ? 10 : 0) + (has(JOINER) ? 3 : 0) + (has(SYMBOL) ? 20 : 0);
  return Math.log2(Math.max(size, 2));
};

/** From this length on a part of a value is judged on its own as well: `key-` before 32 random digits must not hide them. */
const PART_BYTES = 16;

const bitsOf = (bytes: Uint8Array, from: number, to: number): number =>
  nameBits(bytes, from, to) - (to - from) * randomBitsPerCharacter(bytes, from, to);

const bestBits = (bytes: Uint8Array, length: number): number => {
  if (length === 0) return 0;
  let best = bitsOf(bytes, 0, length);
  let partStart = 0;
  for (let at = 0; at <= length; at++) {
    if (at < length && CLASS_OF[bytes[at] ?? 0] !== OTHER) continue;
    const isPart = at - partStart >= PART_BYTES && at - partStart < length;
    if (isPart) best = Math.max(best, bitsOf(bytes, partStart, at));
    partStart = at + 1;
  }
  return best;
};

/**
 * Bits by which "drawn at random" explains the value better than "a name or prose" does; negative for names. The best of
 * the whole value and of its parts of 16 or more letters and digits.
 *
 * `value` is read, never kept.
 */
export const rarityBits = (value: Uint8Array): number => bestBits(value, Math.min(value.length, JUDGED_BYTES));

/** ASCII text is written here instead of into memory of its own. */
const scratch = new Uint8Array(JUDGED_BYTES);

/** The same for a text, by its UTF-8 bytes. */
export const rarityBitsOfText = (value: string): number => {
  const length = Math.min(value.length, JUDGED_BYTES);
  for (let at = 0; at < length; at += 1) {
    const code = value.charCodeAt(at);
    if (code >= 0x80) return rarityBits(Buffer.from(value, 'utf8'));
    scratch[at] = code;
  }
  return bestBits(scratch, length);
};

/** Whether the value is rare: `rarityBits` of at least `RARE_BITS`. Text is judged by its UTF-8 bytes. */
export const isRare = (value: Uint8Array | string): boolean =>
  (typeof value === 'string' ? rarityBitsOfText(value) : rarityBits(value)) >= RARE_BITS;
