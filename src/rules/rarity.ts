/**
 * Whether a value looks made by a generator or a careful person, and not like a name, a path or a piece of prose.
 *
 * The judgement is a likelihood ratio in bits: how much worse a small model of names and prose explains the value than
 * "characters drawn at random from the classes it uses" does. Shannon entropy alone was rejected: it cannot tell
 * `getElementsByClassName` from sixteen random letters, and calls every long identifier a secret.
 */
import { BIGRAM_BITS, BIGRAM_WIDTH, WORD_EDGE } from './bigram-table.js';

/** What `isRare` asks for, in bits; about 1 in 4,000 names of 16 or more characters is over it. */
export const RARE_BITS = 14;

/** Longer values are judged by their first bytes: the verdict is settled long before. */
const JUDGED_BYTES = 512;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

const classOf = (code: number): number => {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  return OTHER;
};

/** `_ - . / space : @ , =`: what joins words in names and prose. */
const isJoiner = (code: number): boolean =>
  code === 0x5f ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x2f ||
  code === 0x20 ||
  code === 0x3a ||
  code === 0x40 ||
  code === 0x2c ||
  code === 0x3d;

const bigram = (before: number, after: number): number => BIGRAM_BITS[before * BIGRAM_WIDTH + after] ?? 12;

/** Bits the model of names and prose needs for the value. */
const nameBits = (bytes: Uint8Array, length: number): number => {
  let bits = 0;
  let before = OTHER;
  let beforeThat = OTHER;
  let beforeCode = 0;
  let letter = WORD_EDGE;
  for (let at = 0; at < length; at++) {
    const code = bytes[at] ?? 0;
    const now = classOf(code);
    if (now === LOWER || now === UPPER) {
      const next = (code | 0x20) - 0x61;
      if (before === DIGIT) bits += 4 + bigram(WORD_EDGE, next);
      else if (before === OTHER) bits += bigram(WORD_EDGE, next);
      else if (before === LOWER && now === UPPER) bits += 1 + bigram(letter, WORD_EDGE) + bigram(WORD_EDGE, next);
      else if (before === UPPER && now === LOWER) bits += (beforeThat === UPPER ? 2.5 : 0) + bigram(letter, next);
      else bits += (now === UPPER && beforeThat === LOWER ? 1.5 : 0) + bigram(letter, next);
      letter = next;
    } else if (now === DIGIT) {
      if (before === DIGIT) bits += Math.abs(code - beforeCode) <= 1 ? 1.5 : 3.5;
      else bits += (before === OTHER ? 1 : 4 + bigram(letter, WORD_EDGE) / 2) + 3;
    } else if (code === beforeCode) bits += 0.5;
    else {
      if (before === LOWER || before === UPPER) bits += bigram(letter, WORD_EDGE) / 2;
      bits += isJoiner(code) ? 1.5 : 7;
    }
    beforeThat = before;
    before = now;
    beforeCode = code;
  }
  return bits;
};

/** Bits per character of a value drawn at random from the classes it uses. */
const randomBitsPerCharacter = (bytes: Uint8Array): number => {
  let lower = false;
  let upper = false;
  let digit = false;
  let joiner = false;
  let symbol = false;
  let hex = true;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    const now = classOf(code);
    if (now === LOWER) lower = true;
    else if (now === UPPER) upper = true;
    else if (now === DIGIT) digit = true;
    else if (isJoiner(code) || code === 0x2b) joiner = true;
    else symbol = true;
    if (now === OTHER || ((now === LOWER || now === UPPER) && (code | 0x20) > 0x66)) hex = false;
  }
  const letters = hex ? 6 : 26;
  const size = (lower ? letters : 0) + (upper ? letters : 0) + (digit ? 10 : 0) + (joiner ? 3 : 0) + (symbol ? 20 : 0);
  return Math.log2(Math.max(size, 2));
};

/** From this length on a part of a value is judged on its own as well: `key-` before 32 random digits must not hide them. */
const PART_BYTES = 16;

const bitsOf = (bytes: Uint8Array): number =>
  nameBits(bytes, bytes.length) - bytes.length * randomBitsPerCharacter(bytes);

/**
 * Bits by which "drawn at random" explains the value better than "a name or prose" does; negative for names. The best of
 * the whole value and of its parts of 16 or more letters and digits.
 *
 * `value` is read, never kept.
 */
export const rarityBits = (value: Uint8Array): number => {
  const judged = value.length > JUDGED_BYTES ? value.subarray(0, JUDGED_BYTES) : value;
  if (judged.length === 0) return 0;
  let best = bitsOf(judged);
  let partStart = 0;
  for (let at = 0; at <= judged.length; at++) {
    if (at < judged.length && classOf(judged[at] ?? 0) !== OTHER) continue;
    const isPart = at - partStart >= PART_BYTES && at - partStart < judged.length;
    if (isPart) best = Math.max(best, bitsOf(judged.subarray(partStart, at)));
    partStart = at + 1;
  }
  return best;
};

/** Whether the value is rare: `rarityBits` of at least `RARE_BITS`. Text is judged by its UTF-8 bytes. */
export const isRare = (value: Uint8Array | string): boolean =>
  rarityBits(typeof value === 'string' ? Buffer.from(value, 'utf8') : value) >= RARE_BITS;
