/**
 * Bytes of JSON: what each of them is in its grammar, and the two walks inside a string. Tables and plain loops, for a
 * request is read byte by byte; in a function of its own a loop is compiled by itself.
 */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;
/** A number or a word alone. */
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
export const WORD = /^(?:true|false|null)$/;
const LETTER_U = 0x75;

const markedBytes = (text: string): Uint8Array => {
  const marked = new Uint8Array(256);
  for (const byte of Buffer.from(text, 'latin1')) marked[byte] = 1;
  return marked;
};

/** 1 for each byte that may stand between values. */
export const BLANKS = markedBytes(' \t\n\r');
const SHORT_ESCAPES = markedBytes('"\\/bfnrt');
/** 1 for each byte of numbers and words. */
export const WORD_BYTES = markedBytes('+-.0123456789Eabcdefghijklmnopqrstuvwxyz');
/** Bytes that end a run of a string: its quote, an escape, what JSON allows in none. */
const RUN_ENDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === QUOTE || byte === BACKSLASH || byte < 0x20 ? 1 : 0,
);

const isHex = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66));

/** Bytes of the escape that begins there, 0 where it is none of JSON. By bytes: a body may be nothing but escapes. */
export const escapeLength = (bytes: Uint8Array, at: number): number => {
  const letter = bytes[at + 1];
  if (letter !== LETTER_U) return SHORT_ESCAPES[letter ?? 0] === 1 ? 2 : 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(bytes[digit])) return 0;
  return 6;
};

/** Where a run of plain bytes of a string ends, or some bytes behind `stop`. Four at a time: this is most of the work. */
export const runEnd = (bytes: Buffer, from: number, stop: number): number => {
  let at = from;
  for (; at < stop; at += 4) {
    if (RUN_ENDS[bytes[at] ?? 0] === 1) return at;
    if (RUN_ENDS[bytes[at + 1] ?? 0] === 1) return at + 1;
    if (RUN_ENDS[bytes[at + 2] ?? 0] === 1) return at + 2;
    if (RUN_ENDS[bytes[at + 3] ?? 0] === 1) return at + 3;
  }
  return at;
};
