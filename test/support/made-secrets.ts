/** Secret-shaped values made at run time, so that no file holds one. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The same characters for the same seed. */
export const drawn = (seed: number, length: number): string => {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += ALPHABET.charAt((state >>> 8) % ALPHABET.length);
  }
  return text;
};

/** A token whose format is known wherever it stands. */
export const madeToken = (seed: number): string => `gh${'p_'}${drawn(seed, 36)}`;
