/**
 * Takes the words out of the placeholders that we wrote, in a copy that is only scanned: the kind in one names a vendor, and
 * a rule that reads "vendor, then a value" would take what follows on the line for that vendor's.
 *
 * Placeholders are known by position, never by their look: one that an item holds itself stays as it is, so nothing can
 * be hidden behind it.
 */
import type { Span } from '../contract/finding.js';

const OPENING = Buffer.from('[blanked ');
const CLOSING_BYTE = 0x5d;
const FILLER_BYTE = 0x5f;

const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/**
 * Masks `copy` in place; lengths and line ends stay. What does not begin as a placeholder, as an exempt line, stays.
 *
 * @param copy a part of the text, owned by the caller
 * @param start where the part begins in the bytes that `written` counts in
 * @param written sorted and not overlapping
 */
export const maskPlaceholders = (copy: Uint8Array, start: number, written: readonly Span[]): void => {
  for (let index = firstEndingAfter(written, start); index < written.length; index += 1) {
    const span = written[index];
    if (span === undefined || span.start >= start + copy.length) return;
    maskOne(copy, span.start - start, span.end - start);
  }
};

const firstEndingAfter = (spans: readonly Span[], at: number): number => {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
};

const maskOne = (copy: Uint8Array, from: number, to: number): void => {
  for (let at = 0; at < OPENING.length; at += 1) if (copy[from + at] !== OPENING[at]) return;
  for (let at = from + OPENING.length; at < to; at += 1) {
    const byte = copy[at];
    if (byte === undefined || byte === CLOSING_BYTE) return;
    if (isWordByte(byte)) copy[at] = FILLER_BYTE;
  }
};
