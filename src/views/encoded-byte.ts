/**
 * Escapes that stand for single bytes (`%41`, `=41`, `\x41`) and spell a character of UTF-8 together. A high byte that is
 * no part of a valid character is left as it stands: decoded, it would be a byte that no pattern can cross.
 */

/** Reads the `k`-th following escape's byte, or -1 where there is none. */
export type ByteReader = (k: number) => number;

/** Number of bytes that a character with this first byte has; 0 where no character starts so. */
export const utf8Length = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

const LEAST = [0, 0, 0x80, 0x800, 0x10000];

/** The code point spelled by the escapes from the first on, or -1; its length is `utf8Length` of the first byte. */
export const readCodePoint = (first: number, read: ByteReader): number => {
  const length = utf8Length(first);
  if (length <= 1) return length === 1 ? first : -1;
  let point = first & (0x7f >> length);
  for (let k = 1; k < length; k += 1) {
    const next = read(k);
    if (next < 0x80 || next > 0xbf) return -1;
    point = (point << 6) | (next & 63);
  }
  const valid = point >= (LEAST[length] ?? 0) && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return valid ? point : -1;
};
