/**
 * What may stand between the lines of a key block besides the lines: white space, escaped line ends at any depth, tags,
 * references, quotes and commas of lists, comment and diff marks, and whatever stands before the frame line itself when
 * it stands before the other lines too (a log's time and host).
 */
import { byteAt, isDigit } from './byte-tables.js';

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const MOST_TAG_BYTES = 160;
/** Longest prefix of a log line that is compared. */
const MOST_PREFIX_BYTES = 400;

const tableOf = (chars: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
};

const ANYWHERE = tableOf(' \t\r\n\v\f"\'`,\0');
/** Only where nothing but such marks stands between them and the line's start or end. */
const AT_LINE_START = tableOf('#>*|;-%:');
const AT_LINE_END = tableOf(')]};.|');

const REFERENCE = /^(?:&(?:#(?:10|13|9|32|34|39|x0?[aAdD]|x09|x2[027]);|(?:nbsp|quot|apos|NewLine|Tab);)|%0[aAdD]|%20)/;

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, Math.min(bytes.length, end) - start)).toString(
    'latin1',
  );

/** The end of an escaped line end, tab or quote at `at` (a backslash), or `at`. */
const skipEscape = (text: Uint8Array, at: number): number => {
  let on = at;
  while (byteAt(text, on) === BACKSLASH) on += 1;
  const code = byteAt(text, on);
  if (code === 0x6e || code === 0x72 || code === 0x74) return on + 1;
  if (code === 0x75 && /^u000[aAdD]/.test(latin1(text, on, on + 5))) return on + 5;
  return code === 0x22 || code === 0x27 || code === LINE_FEED || code === 0x0d ? on : at;
};

const skipTag = (text: Uint8Array, at: number): number => {
  const most = Math.min(text.length, at + MOST_TAG_BYTES);
  for (let on = at + 1; on < most && text[on] !== LINE_FEED && text[on] !== 0x3c; on += 1) {
    if (text[on] === 0x3e) return on + 1;
  }
  return at;
};

const skipReference = (text: Uint8Array, at: number): number =>
  at + (REFERENCE.exec(latin1(text, at, at + 9))?.[0].length ?? 0);

/** Whether the line ends after closing marks at `at`: `"]`, `");`, `"}`. Returns where, or -1. */
const closesLine = (text: Uint8Array, at: number): number => {
  let on = at;
  while (on < at + 8 && (AT_LINE_END[byteAt(text, on) & 255] === 1 || ANYWHERE[byteAt(text, on) & 255] === 1)) {
    if (byteAt(text, on) === LINE_FEED) return on;
    on += 1;
  }
  return on >= text.length ? text.length : -1;
};

/** An operator that joins strings: `+` or `.` or `&` between blanks, quotes or a line end, never part of the body. */
const isJoin = (text: Uint8Array, at: number): boolean => {
  const code = byteAt(text, at);
  if (code !== 0x2b && code !== 0x2e && code !== 0x26) return false;
  const before = byteAt(text, at - 1);
  const after = byteAt(text, at + 1);
  const apart = (near: number): boolean => near === -1 || ANYWHERE[near & 255] === 1;
  return apart(before) && apart(after);
};

/** A comment mark of two characters that a blank follows. */
const isComment = (text: Uint8Array, at: number): boolean =>
  byteAt(text, at) === 0x2f && byteAt(text, at + 1) === 0x2f && byteAt(text, at + 2) === 0x20;

/** Past the blanks at `at`, where a digit follows them. */
const padded = (text: Uint8Array, at: number): number => {
  let on = at;
  while (byteAt(text, on) === BLANK) on += 1;
  return isDigit(byteAt(text, on)) ? on : at;
};

/**
 * The prefix of the frame line, compared with what stands at `at`: digits may differ, their number, and the blanks that
 * line numbers are set right with.
 */
const skipPrefix = (text: Uint8Array, at: number, prefix: Uint8Array): number => {
  let on = at;
  let from = 0;
  while (from < prefix.length) {
    from = padded(prefix, from);
    const code = byteAt(prefix, from);
    if (isDigit(code)) {
      on = padded(text, on);
      if (!isDigit(byteAt(text, on))) return at;
      while (isDigit(byteAt(prefix, from))) from += 1;
      while (isDigit(byteAt(text, on))) on += 1;
      continue;
    }
    if (byteAt(text, on) !== code) return at;
    on += 1;
    from += 1;
  }
  return on;
};

/** What stands before the frame line on its line; empty where it is too long to be compared. */
export const linePrefix = (text: Uint8Array, at: number): Uint8Array => {
  let start = at;
  while (start > 0 && text[start - 1] !== LINE_FEED && at - start <= MOST_PREFIX_BYTES) start -= 1;
  return at - start > MOST_PREFIX_BYTES ? text.subarray(at, at) : text.subarray(start, at);
};

/** One step over what is no body at `at`; `at` itself where there is nothing to skip. */
const skipOne = (text: Uint8Array, at: number, lineStart: boolean): number => {
  const code = byteAt(text, at);
  if (code === -1) return at;
  if (ANYWHERE[code] === 1) return at + 1;
  if (code === BACKSLASH) return skipEscape(text, at);
  if (code === 0x3c) return skipTag(text, at);
  if (isJoin(text, at)) return at + 1;
  if (code === 0x26 || code === 0x25) {
    const end = skipReference(text, at);
    if (end > at) return end;
  }
  if (isComment(text, at)) return at + 2;
  const next = byteAt(text, at + 1);
  if (lineStart && AT_LINE_START[code] === 1 && !(code === 0x2d && next === 0x2d)) return at + 1;
  // A diff's plus sign before other marks; before the body itself it cannot be told from the body, and need not be.
  if (lineStart && code === 0x2b && (ANYWHERE[next & 255] === 1 || AT_LINE_START[next & 255] === 1)) return at + 1;
  if (AT_LINE_END[code] === 1) {
    const end = closesLine(text, at);
    if (end !== -1) return end;
  }
  return at;
};

const startsLine = (text: Uint8Array, at: number): boolean => at === 0 || text[at - 1] === LINE_FEED;

/** Where the next thing that is no noise stands, from `at` on. */
export const skipNoise = (text: Uint8Array, at: number, prefix: Uint8Array): number => {
  let on = at;
  let onlyMarks = startsLine(text, at);
  for (;;) {
    const from = on;
    if (startsLine(text, on)) on = skipPrefix(text, on, prefix);
    on = skipOne(text, on, onlyMarks);
    if (on === from) return on;
    onlyMarks ||= startsLine(text, on);
  }
};
