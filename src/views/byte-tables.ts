/** Lookup tables over byte values, built once a thread: a table read is what makes the first pass over an item cheap. */

/** What stands for "no value" in the tables below. */
export const NO_VALUE = 255;

const range = (table: Uint8Array, first: string, last: string, value: (index: number) => number): void => {
  const from = first.charCodeAt(0);
  for (let code = from; code <= last.charCodeAt(0); code += 1) table[code] = value(code - from);
};

/** 6-bit values of base64 and base64url together: a run may be either. */
export const BASE64_VALUES = new Uint8Array(256).fill(NO_VALUE);
range(BASE64_VALUES, 'A', 'Z', (i) => i);
range(BASE64_VALUES, 'a', 'z', (i) => 26 + i);
range(BASE64_VALUES, '0', '9', (i) => 52 + i);
for (const [char, value] of [
  ['+', 62],
  ['-', 62],
  ['/', 63],
  ['_', 63],
] as const) {
  BASE64_VALUES[char.charCodeAt(0)] = value;
}

export const HEX_VALUES = new Uint8Array(256).fill(NO_VALUE);
range(HEX_VALUES, '0', '9', (i) => i);
range(HEX_VALUES, 'a', 'f', (i) => 10 + i);
range(HEX_VALUES, 'A', 'F', (i) => 10 + i);

/** Decoded bytes that make text: printable ASCII, tab, line ends. */
export const IS_TEXT = 1;
/** The other half of an ASCII character in UTF-16. */
export const IS_ZERO = 2;
export const TEXT_CLASSES = new Uint8Array(256);
TEXT_CLASSES.fill(IS_TEXT, 0x20, 0x7f);
TEXT_CLASSES[0x09] = IS_TEXT;
TEXT_CLASSES[0x0a] = IS_TEXT;
TEXT_CLASSES[0x0d] = IS_TEXT;
TEXT_CLASSES[0x00] = IS_ZERO;

/** The byte at `at`, or -1 outside the text. */
export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? -1;

/** The value of two hex digits at `at`, or -1. */
export const hexPair = (bytes: Uint8Array, at: number): number => {
  const high = HEX_VALUES[bytes[at] ?? 0] ?? NO_VALUE;
  const low = HEX_VALUES[bytes[at + 1] ?? 0] ?? NO_VALUE;
  return high === NO_VALUE || low === NO_VALUE ? -1 : high * 16 + low;
};

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
export const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
