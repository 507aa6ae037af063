/**
 * Columns that a text takes on a terminal. Names of files come in every script, and a table whose columns are counted in
 * characters falls apart at the first Chinese one. Styles take none; other controls never get here, they were made
 * visible before (contract/printable.ts).
 */
import { stripVTControlCharacters } from 'node:util';

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Ideographs, kana, hangul and full-width forms (Unicode TR 11, wide and full-width), and emoji shown as pictures. */
const TWO_COLUMNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  // Most text is plain ASCII, one column a character.
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let columns = 0;
  for (const { segment } of characters.segment(plain)) columns += characterWidth(segment);
  return columns;
}

/** The end is cut off and `…` says so; an unstyled text only. */
export function clipText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    width += characterWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

function characterWidth(segment: string): number {
  if (ZERO_WIDTH.test(segment)) return 0;
  return TWO_COLUMNS.test(segment) || segment.includes('\ufe0f') ? 2 : 1;
}
