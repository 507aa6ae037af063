/**
 * Bytes of a file to the text that a bundle sends (product.md section 5, "Text"): always valid UTF-8 without NUL.
 *
 * Most files are that already and are not copied. The rest is judged in a fixed order: a byte order mark decides; then at
 * most 1 % of bytes that are NUL or no UTF-8 travel as U+FFFD; then Latin-1 where it is plainly text; then binary.
 */
import { isUtf8 } from 'node:buffer';
import { decodeLatin1, hasControl, isPlainLatin1 } from './latin1.js';
import { decodeLossyUtf8, measureInvalid } from './lossy-utf8.js';
import { decodeUtf16 } from './utf16.js';

export type Decoded =
  /** The bytes from `start` are the text. */
  | { readonly kind: 'same'; readonly start: number }
  /** Text in memory of its own. `lossy` counts the U+FFFD that stand for invalid bytes. */
  | {
      readonly kind: 'decoded';
      readonly text: Uint8Array;
      readonly lossy: number;
      readonly encoding: 'utf-16le' | 'utf-16be' | 'latin1' | null;
    }
  | { readonly kind: 'binary' };

const NUL = 0;
const LONGEST_CUT_BYTES = 3;
/** At most one byte in a hundred. */
const mostInvalid = (bytes: number): number => Math.floor(bytes / 100);

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

/** A view that node's own byte searches take, whatever memory is behind it. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const isCleanText = (bytes: Uint8Array): boolean => isUtf8(bytes) && asBuffer(bytes).indexOf(NUL) < 0;

export const decodeText = (bytes: Uint8Array): Decoded => {
  if (startsWith(bytes, 0xff, 0xfe)) return fromUtf16(bytes.subarray(2), 'utf-16le');
  if (startsWith(bytes, 0xfe, 0xff)) return fromUtf16(bytes.subarray(2), 'utf-16be');
  const start = startsWith(bytes, 0xef, 0xbb, 0xbf) ? 3 : 0;
  const rest = bytes.subarray(start);
  if (isCleanText(rest)) return { kind: 'same', start };
  if (measureInvalid(rest, mostInvalid(rest.length)) <= mostInvalid(rest.length)) {
    return { kind: 'decoded', ...decodeLossyUtf8(rest), encoding: null };
  }
  if (start === 0 && isPlainLatin1(rest)) {
    return { kind: 'decoded', text: decodeLatin1(rest), lossy: 0, encoding: 'latin1' };
  }
  return { kind: 'binary' };
};

/**
 * Whether a file that begins so can be nothing but binary, whatever follows: more of it is no UTF-8 than the whole may
 * have, and it holds a control byte that Latin-1 text has not. A character may be cut at the end of what is there.
 */
export const isBinaryFrom = (start: Uint8Array, wholeBytes: number): boolean => {
  if (startsWith(start, 0xff, 0xfe) || startsWith(start, 0xfe, 0xff)) return false;
  const hasMark = startsWith(start, 0xef, 0xbb, 0xbf);
  const most = mostInvalid(wholeBytes) + LONGEST_CUT_BYTES;
  return measureInvalid(start, most) > most && (hasMark || hasControl(start));
};

const fromUtf16 = (bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): Decoded => {
  const { text, lossy, invalidBytes } = decodeUtf16(bytes, encoding === 'utf-16le');
  return invalidBytes <= mostInvalid(bytes.length) ? { kind: 'decoded', text, lossy, encoding } : { kind: 'binary' };
};
