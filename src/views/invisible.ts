/**
 * What the eye does not see in a value and a pattern does: characters that are drawn as nothing and colour codes of a
 * terminal between its characters, and its characters written full-width. `grep --color` and the logs of CI break tokens
 * so, and a token that is copied from a right-to-left text or a chat brings its direction marks with it.
 *
 * Only what stands inside a word counts: a byte order mark, the colour of a whole line and the punctuation of Chinese
 * text are left alone, because each edit is one more view to scan.
 */
import { byteAt } from './byte-tables.js';
import type { Candidates } from './candidates.js';
import { addEdit, DROPPED, isFullPart, overlapStart, type PointEdits, pointEdits, type TakeEdits } from './edits.js';
import { readCodePoint, utf8Length } from './encoded-byte.js';

const ESCAPE = 0x1b;
/** How far beyond the plain context a word is followed. */
const REACH_BYTES = 1024;
/** A colour code is short; what is longer is something else. */
const MOST_CODE_BYTES = 32;
/** Characters of a full-width word that is worth reading. */
const LEAST_WIDE = 8;

/**
 * Code points that are drawn as nothing: `Default_Ignorable_Code_Point` of Unicode's DerivedCoreProperties.txt, first and
 * last of each range. Direction marks, joiners, fillers, variation selectors and tags are among them.
 */
export const IGNORABLE: readonly (readonly [first: number, last: number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfff8],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** U+FF01 to U+FF5E are the printable ASCII characters, this much further on. */
const WIDE_SHIFT = 0xfee0;
const WIDE = [0xff01, 0xff5e] as const;

/** 1 for each of them below U+10000, and for each higher one the upper 16 bits of its UTF-8. */
const WORTH = new Uint8Array(1 << 16);
const HIGH = 0x10000;
const LEADS = new Set<number>();
for (const [first, last] of [...IGNORABLE, WIDE]) {
  const start = Buffer.from(String.fromCodePoint(first));
  LEADS.add(start[0] ?? 0);
  if (first < HIGH) WORTH.fill(1, first, last + 1);
  else WORTH[start.readUInt16BE(0)] = 1;
}

/** From a byte that may begin something, this many are read one by one: a text in another script is full of such bytes. */
const NEAR_BYTES = 64;

/** Where the next character that is worth reading begins at `from` or after it, or the end. */
const seekWorth = (bytes: Buffer): ((from: number) => number) => {
  const leads = Uint8Array.from([ESCAPE, ...LEADS]);
  const places = Array.from(leads, () => -1);
  /** By native searches, one over the whole text for each of the bytes. */
  const nextLead = (from: number): number => {
    let next = bytes.length;
    for (const [k, lead] of leads.entries()) {
      let place = places[k] ?? 0;
      if (place < from) {
        const found = bytes.indexOf(lead, from);
        place = found === -1 ? bytes.length : found;
        places[k] = place;
      }
      next = Math.min(next, place);
    }
    return next;
  };
  /** Up to here the searches have gone on; a part that is read again is read byte by byte. */
  let searchedTo = 0;
  return (from) => {
    for (let at = from; at < bytes.length; ) {
      if (at >= searchedTo) at = nextLead(at);
      const end = Math.min(bytes.length, Math.max(searchedTo, at + NEAR_BYTES));
      searchedTo = Math.max(searchedTo, at);
      for (; at < end; at += 1) {
        const code = bytes[at] ?? 0;
        if (code < 0x80 ? code === ESCAPE : code >= 0xc2 && WORTH[printOf(bytes, at, code)] === 1) return at;
      }
    }
    return bytes.length;
  };
};

/** Index into `WORTH`; what is no UTF-8 gets one that may be another's, and is read closely. */
const printOf = (bytes: Uint8Array, at: number, lead: number): number => {
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | (second & 0x3f);
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | ((second & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
  return (lead << 8) | second;
};

const isGraphic = (code: number): boolean => code > 0x20 && code < 0x7f;

/** Between ESC and the character set that it names; `tput sgr0` ends a colour so. */
const isDesignator = (code: number): boolean => code >= 0x28 && code <= 0x2b;

/** End of the colour code (ECMA-48 control sequence) or of the naming of a character set (ISO 2022) at `at`, or `at`. */
const endOfCode = (bytes: Uint8Array, at: number): number => {
  const kind = byteAt(bytes, at + 1);
  if (isDesignator(kind) && byteAt(bytes, at + 2) >= 0x30) return at + 3;
  if (kind !== 0x5b) return at;
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
  const point = first < 0xc2 ? -1 : readCodePoint(first, (k) => byteAt(bytes, at + k));
  return point !== -1 && isIgnorable(point) ? at + utf8Length(first) : at;
};

const isIgnorable = (point: number): boolean => IGNORABLE.some(([first, last]) => point >= first && point <= last);

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
  const nextWorth = seekWorth(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  let at = nextWorth(0);
  while (at < bytes.length) {
    const edits = pointEdits('invisible', 'segment', REACH_BYTES);
    while (at < bytes.length && !isFullPart(edits)) {
      at = nextWorth(read(bytes, at, edits));
    }
    if (!take(edits)) return false;
    if (at < bytes.length) at = overlapStart(edits);
  }
  return true;
};
