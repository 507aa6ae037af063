/**
 * Where the text of the next line begins, for values that go on over a line end. In a diff every line starts with a sign
 * that is not the text's; it is skipped where this line starts with one too.
 */
import { byteAt, isBlank } from './byte-tables.js';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const SPACE = 0x20;

/** How far back a line's first byte is looked for. */
const LINE_LOOK_BACK_BYTES = 512;

/** First byte of the line that holds `at`, or -1 where the line is longer than is looked at. */
export const lineStart = (bytes: Uint8Array, at: number): number => {
  const least = Math.max(0, at - LINE_LOOK_BACK_BYTES);
  let start = at;
  while (start > least && bytes[start - 1] !== LINE_FEED) start -= 1;
  return start === 0 || bytes[start - 1] === LINE_FEED ? start : -1;
};

const isChangeSign = (code: number): boolean => code === PLUS || code === MINUS;

/** Whether the line that ends at `at` has a diff's sign, so that the next line's is one too. */
const followsSign = (bytes: Uint8Array, at: number): boolean => {
  const start = lineStart(bytes, at);
  const sign = start === -1 ? -1 : byteAt(bytes, start);
  return isChangeSign(sign) || sign === SPACE;
};

/** Length of the line end at `at`: 0 where there is none. */
export const lineEndBytes = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] === LINE_FEED) return 1;
  return bytes[at] === RETURN && bytes[at + 1] === LINE_FEED ? 2 : 0;
};

/**
 * Where the line after the line end at `at` begins, its diff sign skipped; -1 where no line ends at `at`. A blank in the
 * first place goes as well: it is the sign of a line that did not change, or one column of indentation.
 */
export const nextLine = (bytes: Uint8Array, at: number): number => {
  const size = lineEndBytes(bytes, at);
  if (size === 0) return -1;
  const next = at + size;
  const sign = byteAt(bytes, next);
  return sign === SPACE || (isChangeSign(sign) && followsSign(bytes, at)) ? next + 1 : next;
};

/** `at`, or what follows the blanks that stand there; at most `most` of them. */
export const skipBlanks = (bytes: Uint8Array, at: number, most: number): number => {
  let on = at;
  const end = Math.min(bytes.length, at + most);
  while (on < end && isBlank(byteAt(bytes, on))) on += 1;
  return on;
};
