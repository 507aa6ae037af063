/**
 * Reads the body of a key block: chunks of base64 with noise and header lines (`DEK-Info: ...`) between them. Code must
 * not hide in a block, so a body is base64 only: chunks of 16 or more characters, at most two shorter ones at its end
 * (the last line and a checksum), and anything else ends it.
 */
import { byteAt, isDigit, isLetter } from './byte-tables.js';
import { skipNoise } from './pem-noise.js';

const LEAST_CHUNK_BYTES = 16;
const MOST_SHORT_CHUNKS = 2;
const MOST_HEADER_BYTES = 512;

const HEADER_NAME = /^(?:Proc-Type|DEK-Info|Key-Info|Comment|Version|Hash|Charset|MessageID|Subject|x-[A-Za-z-]+):/i;
/** Characters of the body that were escaped on their own: `\/`, `\u002b`, `&#43;`, `%2B`. */
const ESCAPED = /^(?:\\+(?:\/|u00(?:2[bBfF]|3[dD]))|&#(?:43|47|61|x2[bBfF]|x3[dD]);|%(?:2[bBfF]|3[dD]))/;
const ELISION = /^(?:\.{3,}|\u00e2\u0080\u00a6|\*{3,}|\[\.{3}\])/;

export interface PemBody {
  /** End of the last chunk that is body without an END line too: a word of the text that follows is none. */
  readonly end: number;
  /** Where reading stopped: an END line's first dash, or what is no body. */
  readonly stop: number;
  /** Chunks: one a line, however the lines are written. */
  readonly chunks: number;
  readonly characters: number;
  /** Length of the longest chunk. */
  readonly longest: number;
  /** Lower case, upper case and digits: what a key's bytes show soon. */
  readonly isMixed: boolean;
}

const latin1 = (bytes: Uint8Array, start: number, size: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(bytes.length - start, size)).toString('latin1');

const isBodyByte = (code: number): boolean =>
  isLetter(code) || isDigit(code) || code === 0x2b || code === 0x2f || code === 0x3d;

/** End of the chunk at `at`; `at` where none stands there. */
const chunkEnd = (text: Uint8Array, at: number): number => {
  let end = at;
  for (;;) {
    while (isBodyByte(byteAt(text, end))) end += 1;
    const code = byteAt(text, end);
    if (code !== 0x5c && code !== 0x26 && code !== 0x25) return end;
    const escaped = ESCAPED.exec(latin1(text, end, 24));
    if (escaped === null) return end;
    end += escaped[0].length;
  }
};

/** End of a header line at `at`: the line's end, written as it is or escaped; `at` where no header stands there. */
const headerEnd = (text: Uint8Array, at: number): number => {
  const line = latin1(text, at, MOST_HEADER_BYTES);
  if (!HEADER_NAME.test(line)) return at;
  const end = line.search(/[\r\n]|\\+[nr]|<br|&#|%0[aAdD]|["'`]\s*[,+]/);
  return end === -1 ? at : at + end;
};

const classBits = (code: number): number =>
  isDigit(code) ? 1 : code >= 0x61 && code <= 0x7a ? 2 : code >= 0x41 && code <= 0x5a ? 4 : 0;

const classesOf = (text: Uint8Array, start: number, end: number): number => {
  let bits = 0;
  for (let at = start; at < end && bits !== 7; at += 1) bits |= classBits(byteAt(text, at));
  return bits;
};

/** @param prefix what stood before the frame line on its line */
export const readPemBody = (text: Uint8Array, from: number, prefix: Uint8Array): PemBody => {
  let end = from;
  let chunks = 0;
  let characters = 0;
  let longest = 0;
  let classes = 0;
  let short = 0;
  let at = skipNoise(text, from, prefix);
  for (;;) {
    const header = chunks === 0 ? headerEnd(text, at) : at;
    if (header > at) {
      at = skipNoise(text, header, prefix);
      continue;
    }
    const elision = chunks > 0 ? (ELISION.exec(latin1(text, at, 24))?.[0].length ?? 0) : 0;
    if (elision > 0) {
      at = skipNoise(text, at + elision, prefix);
      continue;
    }
    const stop = chunkEnd(text, at);
    const size = stop - at;
    if (size === 0 || (size >= LEAST_CHUNK_BYTES && short > 0)) break;
    const bits = classesOf(text, at, stop);
    if (size < LEAST_CHUNK_BYTES) {
      short += 1;
      if (short > MOST_SHORT_CHUNKS) break;
    }
    if (short === 0 || (short === 1 && (bits === 7 || text[stop - 1] === 0x3d))) end = stop;
    chunks += 1;
    characters += size;
    longest = Math.max(longest, size);
    classes |= bits;
    at = skipNoise(text, stop, prefix);
  }
  return { end, stop: at, chunks, characters, longest, isMixed: classes === 7 };
};
