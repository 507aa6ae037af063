/**
 * Latin-1 as the web means it (windows-1252, a superset of its printable part). Only what is plainly text: no control
 * bytes and few bytes over 127, because any bytes at all can be read as Latin-1.
 */

/** Code points of 0x80 to 0x9f (Encoding Standard, index windows-1252); 0 where none is assigned. */
const UPPER_CONTROLS = [
  0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0, 0,
  0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178,
] as const;

/** Tab, line feed, vertical tab, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);
const MOST_HIGH_SHARE = 0.4;

const codePoint = (byte: number): number => (byte < 0x80 || byte > 0x9f ? byte : (UPPER_CONTROLS[byte - 0x80] ?? 0));

const isControl = (byte: number): boolean =>
  byte < 0x20 ? !TEXT_CONTROLS.has(byte) : byte === 0x7f || codePoint(byte) === 0;

/** A byte that no text in Latin-1 holds. */
export const hasControl = (bytes: Uint8Array): boolean => bytes.some(isControl);

export const isPlainLatin1 = (bytes: Uint8Array): boolean => {
  let high = 0;
  for (const byte of bytes) {
    if (isControl(byte)) return false;
    if (byte >= 0x80) high += 1;
  }
  return high <= bytes.length * MOST_HIGH_SHARE;
};

/** To UTF-8. A byte that stands for nothing becomes U+FFFD; `isPlainLatin1` lets none through. */
export const decodeLatin1 = (bytes: Uint8Array): Uint8Array => {
  let size = 0;
  for (const byte of bytes) size += byte < 0x80 ? 1 : (codePoint(byte) || 0xfffd) < 0x800 ? 2 : 3;
  const text = new Uint8Array(size);
  let at = 0;
  for (const byte of bytes) {
    const code = byte < 0x80 ? byte : codePoint(byte) || 0xfffd;
    if (code < 0x80) {
      text[at++] = code;
    } else if (code < 0x800) {
      text[at++] = 0xc0 | (code >> 6);
      text[at++] = 0x80 | (code & 0x3f);
    } else {
      text[at++] = 0xe0 | (code >> 12);
      text[at++] = 0x80 | ((code >> 6) & 0x3f);
      text[at++] = 0x80 | (code & 0x3f);
    }
  }
  return text;
};
