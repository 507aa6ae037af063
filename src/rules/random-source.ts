/**
 * A small seeded generator for made-up example values. Not for anything that must be unguessable: examples only have to be
 * the same on every machine for the same seed.
 */
export interface RandomSource {
  /** A whole number in `[0, bound)`. */
  below(bound: number): number;
  /** `length` characters of `alphabet`. */
  text(alphabet: string, length: number): string;
}

/** mulberry32 over a 32-bit hash (FNV-1a) of the seed text. */
export const seededRandom = (seed: string): RandomSource => {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number): number => Math.floor((next() / 0x1_0000_0000) * bound);
  const text = (alphabet: string, length: number): string => {
    let out = '';
    for (let at = 0; at < length; at++) out += alphabet.charAt(below(alphabet.length));
    return out;
  };
  return { below, text };
};
