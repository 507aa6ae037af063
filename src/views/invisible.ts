/**
 * What the eye does not see in a value and a pattern does: zero-width characters and colour codes of a terminal between
 * its characters, and its characters written full-width. `grep --color` and the logs of CI break tokens so.
 *
 * Only what stands inside a word counts: a byte order mark, the colour of a whole line and the punctuation of Chinese
 * text are left alone, because each edit is one more view to scan.
 */
import { byteAt } from './byte-tables.js';
import type { Candidates } from './candidates.js';
import { addEdit, DROPPED, MOST_EDITS, overlapStart, type PointEdits, pointEdits, type TakeEdits } from './edits.js';

const ESCAPE = 0x1b;
/** How far beyond the plain context a word is followed. */
const REACH_BYTES = 1024;
/** A colour code is short; what is longer is something else. */
const MOST_CODE_BYTES = 32;
/** Characters of a full-width word that is worth reading. */
const LEAST_WIDE = 8;
/** U+FF01 to U+FF5E are the printable ASCII characters, this much further on. */
const WIDE_SHIFT = 0xfee0;

/** Zero-width space, non-joiner, joiner, word joiner, no-break space; soft hyphen. */
const HIDDEN: readonly Buffer[] = ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad'].map((one) =>
  Buffer.from(one, 'utf8'),
);
const WIDE: readonly Buffer[] = [Buffer.from([0xef, 0xbc]), Buffer.from([0xef, 0xbd])];

const isGraphic = (code: number): boolean => code > 0x20 && code < 0x7f;

/** One native search each; most texts hold none of them. */
const holdsHidden = (bytes: Buffer): boolean => [...HIDDEN, ...WIDE].some((one) => bytes.includes(one));

/** End of the colour code (ECMA-48 control sequence) at `at`, or `at`. */
const endOfCode = (bytes: Uint8Array, at: number): number => {
  if (byteAt(bytes, at + 1) !== 0x5b) return at;
  for (let on = at + 2; on < at + MOST_CODE_BYTES; on += 1) {
    const code = byteAt(bytes, on);
    if (code >= 0x40 && code <= 0x7e) return on + 1;
    if (code < 0x20 || code > 0x3f) return at;
  }
  return at;
};

const endOfHidden = (bytes: Uint8Array, at: number): number => {
  const first = byteAt(bytes, at);
  if (first === ESCAPE) return endOfCode(bytes, at);
  if (first !== 0xe2 && first !== 0xef && first !== 0xc2) return at;
  const found = HIDDEN.find((one) => one.every((code, k) => byteAt(bytes, at + k) === code));
  return at + (found?.length ?? 0);
};

/** End of everything hidden that begins at `at`, one after the other. */
const endOfRun = (bytes: Uint8Array, at: number): number => {
  let end = at;
  for (let next = endOfHidden(bytes, end); next > end; next = endOfHidden(bytes, end)) end = next;
  return end;
};

/** The ASCII character that is written full-width at `at`, or -1. */
const wideAt = (bytes: Uint8Array, at: number): number => {
  if (byteAt(bytes, at) !== 0xef) return -1;
  const second = byteAt(bytes, at + 1);
  const third = byteAt(bytes, at + 2);
  if ((second !== 0xbc && second !== 0xbd) || (third & 0xc0) !== 0x80) return -1;
  const plain = (((second & 0x3f) << 6) | (third & 0x3f) | 0xf000) - WIDE_SHIFT;
  return isGraphic(plain) ? plain : -1;
};

const endOfWide = (bytes: Uint8Array, at: number): number => {
  let end = at;
  while (wideAt(bytes, end) !== -1) end += 3;
  return end;
};

/** Adds what begins at `at`, if it is worth it, and returns where to read on. */
const read = (bytes: Uint8Array, at: number, edits: PointEdits): number => {
  const wideEnd = endOfWide(bytes, at);
  if (wideEnd - at >= 3 * LEAST_WIDE)
    for (let on = at; on < wideEnd; on += 3) addEdit(edits, on, on + 3, wideAt(bytes, on));
  if (wideEnd > at) return wideEnd;
  const end = endOfRun(bytes, at);
  if (end > at && isGraphic(byteAt(bytes, at - 1)) && isGraphic(byteAt(bytes, end))) addEdit(edits, at, end, DROPPED);
  return Math.max(end, at + 1);
};

/**
 * In parts where very much is hidden.
 *
 * @param seen what the first look saw: ASCII without the escape byte hides nothing
 * @returns `false` where `take` wants no more
 */
export const takeInvisible = (
  bytes: Uint8Array,
  { isAscii, holdsEscapeByte }: Pick<Candidates, 'isAscii' | 'holdsEscapeByte'>,
  take: TakeEdits,
): boolean => {
  if (isAscii && !holdsEscapeByte) return true;
  if (!holdsEscapeByte && !holdsHidden(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) return true;
  let at = 0;
  while (at < bytes.length) {
    const edits = pointEdits('invisible', 'segment', REACH_BYTES);
    while (at < bytes.length && edits.starts.length < MOST_EDITS) {
      const code = bytes[at] ?? 0;
      at = code === ESCAPE || code >= 0xc2 ? read(bytes, at, edits) : at + 1;
    }
    if (!take(edits)) return false;
    if (at < bytes.length) at = overlapStart(edits);
  }
  return true;
};
