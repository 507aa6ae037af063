/**
 * The parts of a run of encoded characters that decode to text. A run may be glued to other characters and may be
 * encoded binary, so every position is tried as the start of a group: text decodes to text group after group, anything
 * else fails one in eight or more times a character. Stretches near each other are taken with what lies between them.
 */
import { BASE64_VALUES, HEX_VALUES, IS_TEXT, IS_ZERO, NO_VALUE, TEXT_CLASSES } from './byte-tables.js';

/** A range of whole groups. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** 4 groups are 12 bytes, the shortest value that is looked for. */
const LEAST_BASE64_GROUPS = 4;
const LEAST_HEX_PAIRS = 12;
/** Encoded characters between two stretches that are decoded with them: some words in another script. */
const BRIDGED_BYTES = 256;

/** Whether a group's three bytes are ASCII text, or ASCII text in UTF-16 of either order. */
const isTextGroup = (v0: number, v1: number, v2: number, v3: number): boolean => {
  const a = TEXT_CLASSES[((v0 << 2) | (v1 >> 4)) & 255] ?? 0;
  if (a === 0) return false;
  const b = TEXT_CLASSES[((v1 << 4) | (v2 >> 2)) & 255] ?? 0;
  const c = TEXT_CLASSES[((v2 << 6) | v3) & 255] ?? 0;
  if (a === IS_TEXT) return (b === IS_TEXT && c === IS_TEXT) || (b === IS_ZERO && c === IS_TEXT);
  return b === IS_TEXT && c === IS_ZERO;
};

/** Adds a stretch to those of its alignment, or widens the last of them. */
const keep = (found: Stretch[], start: number, end: number): void => {
  const last = found.at(-1);
  if (last !== undefined && start - last.end <= BRIDGED_BYTES) found[found.length - 1] = { start: last.start, end };
  else found.push({ start, end });
};

const isTextGroupAt = (bytes: Uint8Array, at: number): boolean => {
  const v0 = BASE64_VALUES[bytes[at] ?? 0] ?? 0;
  if (v0 >= 32) return false;
  const v1 = BASE64_VALUES[bytes[at + 1] ?? 0] ?? 0;
  const v2 = BASE64_VALUES[bytes[at + 2] ?? 0] ?? 0;
  return isTextGroup(v0, v1, v2, BASE64_VALUES[bytes[at + 3] ?? 0] ?? 0);
};

/**
 * The next stretch of groups that all start at `from` modulo 4. Every shortest stretch holds one of the groups that are
 * asked first, each fourth, so that binary is passed with one question to four groups.
 */
const nextStretch = (bytes: Uint8Array, from: number, end: number): Stretch | null => {
  let least = from;
  for (;;) {
    const asked = least + 4 * (LEAST_BASE64_GROUPS - 1);
    if (asked + 4 > end) return null;
    if (!isTextGroupAt(bytes, asked)) {
      least = asked + 4;
      continue;
    }
    let start = asked;
    while (start > least && isTextGroupAt(bytes, start - 4)) start -= 4;
    let stop = asked + 4;
    while (stop + 4 <= end && isTextGroupAt(bytes, stop)) stop += 4;
    if (stop - start >= 4 * LEAST_BASE64_GROUPS) return { start, end: stop };
    least = stop + 4;
  }
};

/** Stretches of one run whose groups start at `from` modulo 4, in ascending order. */
const stretchesFrom = (bytes: Uint8Array, from: number, end: number): Stretch[] => {
  const found: Stretch[] = [];
  for (let next = nextStretch(bytes, from, end); next !== null; next = nextStretch(bytes, next.end + 4, end)) {
    keep(found, next.start, next.end);
  }
  return found;
};

/** A neighbouring group that shares a character with the stretch (its near byte is text) belongs to it. */
const widened = (bytes: Uint8Array, runStart: number, runEnd: number, stretch: Stretch): Stretch => {
  let { start, end } = stretch;
  if (start - 4 >= runStart) {
    const v2 = BASE64_VALUES[bytes[start - 2] ?? 0] ?? 0;
    const v3 = BASE64_VALUES[bytes[start - 1] ?? 0] ?? 0;
    if (TEXT_CLASSES[((v2 << 6) | v3) & 255] !== 0) start -= 4;
  }
  if (end + 4 <= runEnd) {
    const v0 = BASE64_VALUES[bytes[end] ?? 0] ?? 0;
    const v1 = BASE64_VALUES[bytes[end + 1] ?? 0] ?? 0;
    if (TEXT_CLASSES[((v0 << 2) | (v1 >> 4)) & 255] !== 0) end += 4;
  }
  return { start, end };
};

const ALIGNMENTS = [0, 1, 2, 3] as const;

/** Whether the run holds the shortest stretch at all. Most runs are names and paths and do not. */
export const holdsBase64Text = (bytes: Uint8Array, start: number, end: number): boolean =>
  ALIGNMENTS.some((alignment) => nextStretch(bytes, start + alignment, end) !== null);

const NONE: readonly Stretch[] = [];

/** Stretches of base64 text in the run `[start, end)`, in ascending order; those of two alignments may overlap. */
export const findBase64Text = (bytes: Uint8Array, start: number, end: number): readonly Stretch[] => {
  const found = ALIGNMENTS.flatMap((alignment) => stretchesFrom(bytes, start + alignment, end));
  if (found.length === 0) return NONE;
  return found.map((stretch) => widened(bytes, start, end, stretch)).sort((a, b) => a.start - b.start || b.end - a.end);
};

/** Whether the run holds so many hex digits in a row at all; most runs do not. */
const nextHexRun = (bytes: Uint8Array, from: number, end: number): Stretch | null => {
  const least = LEAST_HEX_PAIRS * 2;
  let start = from;
  while (start + least <= end) {
    let at = start + least - 1;
    while (at >= start && HEX_VALUES[bytes[at] ?? 0] !== NO_VALUE) at -= 1;
    if (at < start) {
      let stop = start + least;
      while (stop < end && HEX_VALUES[bytes[stop] ?? 0] !== NO_VALUE) stop += 1;
      return { start, end: stop };
    }
    start = at + 1;
  }
  return null;
};

const hexText = (bytes: Uint8Array, run: Stretch, alignment: 0 | 1, found: Stretch[]): void => {
  let count = 0;
  let at = run.start + alignment;
  for (; at + 2 <= run.end; at += 2) {
    const high = HEX_VALUES[bytes[at] ?? 0] ?? 0;
    const low = HEX_VALUES[bytes[at + 1] ?? 0] ?? 0;
    if (TEXT_CLASSES[(high << 4) | low] !== 0) {
      count += 1;
      continue;
    }
    if (count >= LEAST_HEX_PAIRS) keep(found, at - 2 * count, at);
    count = 0;
  }
  if (count >= LEAST_HEX_PAIRS) keep(found, at - 2 * count, at);
};

/** Stretches of hex that decode to text in the run `[start, end)`, in ascending order; they may overlap. */
export const findHexText = (bytes: Uint8Array, start: number, end: number): readonly Stretch[] => {
  const first = nextHexRun(bytes, start, end);
  if (first === null) return NONE;
  const all: Stretch[] = [];
  for (let run: Stretch | null = first; run !== null; run = nextHexRun(bytes, run.end, end)) {
    for (const alignment of [0, 1] as const) {
      const found: Stretch[] = [];
      hexText(bytes, run, alignment, found);
      for (const stretch of found) all.push(stretch);
    }
  }
  return all.sort((a, b) => a.start - b.start || b.end - a.end);
};
