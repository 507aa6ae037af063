/**
 * Text from outside made safe to show: answers, provider errors, paths, model names.
 *
 * Characters that move the cursor, turn the reading direction, hide, or start an escape sequence become visible escapes.
 * Nothing is removed, so what was said can still be read. A backslash stays as it is: the result is for eyes, not for
 * decoding.
 */

// Controls, format characters (directions, zero widths, tags), lone surrogates, line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LINE_FEED = 0x0a;
const TAB = 0x09;
/** Zero width non-joiner and joiner: scripts and emoji need them, and they neither move nor turn anything. */
const JOINERS: ReadonlySet<number> = new Set([0x200c, 0x200d]);

/**
 * One line: every unsafe character, line ends and tabs included, as `\xNN`, `\uNNNN` or `\u{NNNNN}`.
 */
export const printable = (text: string): string => text.replace(UNSAFE, (found) => shown(found, false));

/** Several lines: the same, but line feeds and tabs stay. A carriage return does not: it overwrites a line. */
export const printableLines = (text: string): string => text.replace(UNSAFE, (found) => shown(found, true));

const shown = (found: string, keepsLines: boolean): string => {
  const point = found.codePointAt(0) ?? 0;
  if (JOINERS.has(point) || (keepsLines && (point === LINE_FEED || point === TAB))) {
    return found;
  }
  const hex = point.toString(16);
  if (point <= 0xff) {
    return `\\x${hex.padStart(2, '0')}`;
  }
  return point <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};
