/**
 * Which kinds of characters a value holds, read once: most judgements ask for a character that most values do not have, and
 * are settled by a bit. The bits only rule judgements out; what a value is, is still said by the judgements themselves.
 */

export const LOWER: number = 1 << 0;
export const UPPER: number = 1 << 1;
export const DIGIT: number = 1 << 2;
export const DOT: number = 1 << 3;
export const DASH: number = 1 << 4;
export const UNDERSCORE: number = 1 << 5;
export const SLASH: number = 1 << 6;
export const BACKSLASH: number = 1 << 7;
export const COLON: number = 1 << 8;
export const AT: number = 1 << 9;
export const HASH: number = 1 << 10;
export const STAR: number = 1 << 11;
export const GREATER: number = 1 << 12;
/** `(` and `{`. */
export const OPENING: number = 1 << 13;
/** `[`. */
export const BRACKET: number = 1 << 14;
/** `)` and `]`. */
export const CLOSING: number = 1 << 15;
/** `$ % & <`, which with an opening brace, a bracket or `@` begin templates. */
export const SIGIL: number = 1 << 16;
/** What JavaScript's `\s` matches. */
export const BLANK: number = 1 << 17;
/** Other printable ASCII. */
const SYMBOL: number = 1 << 18;
/** Neither printable ASCII nor a blank. */
export const STRANGE: number = 1 << 19;

const BIT_OF: Int32Array = Int32Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/\s/.test(char)) return BLANK;
  if (code < 0x21 || code > 0x7e) return STRANGE;
  if (/[a-z]/.test(char)) return LOWER;
  if (/[A-Z]/.test(char)) return UPPER;
  if (/\d/.test(char)) return DIGIT;
  const named: Readonly<Record<string, number>> = {
    '.': DOT,
    '-': DASH,
    _: UNDERSCORE,
    '/': SLASH,
    '\\': BACKSLASH,
    ':': COLON,
    '@': AT,
    '#': HASH,
    '*': STAR,
    '>': GREATER,
    '(': OPENING,
    '{': OPENING,
    '[': BRACKET,
    ')': CLOSING,
    ']': CLOSING,
    $: SIGIL,
    '%': SIGIL,
    '&': SIGIL,
    '<': SIGIL,
  };
  return named[char] ?? SYMBOL;
});

export interface ValueShape {
  /** Bits of the kinds of characters that it holds. */
  readonly bits: number;
  readonly digits: number;
  /** ASCII letters. */
  readonly letters: number;
  /** Longest run of one character. */
  readonly longestRun: number;
}

/** @param value one character a byte (Latin-1) */
export const shapeOf = (value: string): ValueShape => {
  let bits = 0;
  let digits = 0;
  let letters = 0;
  let run = 0;
  let longestRun = 0;
  let before = -1;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    const bit = BIT_OF[code] ?? STRANGE;
    bits |= bit;
    if (bit === DIGIT) digits += 1;
    else if ((bit & (LOWER | UPPER)) !== 0) letters += 1;
    run = code === before ? run + 1 : 1;
    if (run > longestRun) longestRun = run;
    before = code;
  }
  return { bits, digits, letters, longestRun };
};
