/**
 * A string with its spans blanked. Spans are in UTF-8 bytes; what stands outside them is taken from the string itself, so
 * that a lone surrogate, which has no UTF-8, comes back as it was. It counts as the three bytes of U+FFFD.
 */
import { blankedChunks } from '../../bundle/blank.js';
import type { SettledText } from './settle-texts.js';

const bytesOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** Walks a string by UTF-8 bytes, forwards only. */
const walker = (text: string): ((toByte: number) => number) => {
  let byte = 0;
  let index = 0;
  return (toByte) => {
    while (byte < toByte) {
      const codePoint = text.codePointAt(index) ?? 0;
      byte += bytesOf(codePoint);
      index += codePoint > 0xffff ? 2 : 1;
    }
    return index;
  };
};

/** `text` is the string whose UTF-8 `settled` was made from. */
export const blankString = (text: string, settled: Extract<SettledText, { ok: true }>): string => {
  if (settled.text.spans.length === 0) return text;
  const indexOf = walker(text);
  let at = 0;
  let blanked = '';
  for (const { bytes, span } of blankedChunks(settled.text, settled.numbers)) {
    if (span !== null) {
      blanked += Buffer.from(bytes).toString('latin1');
      at = span.end;
      continue;
    }
    const start = indexOf(at);
    at += bytes.length;
    blanked += text.slice(start, indexOf(at));
  }
  return blanked;
};
