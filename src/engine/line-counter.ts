/**
 * Lines of byte offsets, 1-based, counted over the newlines before them. Four bytes are counted at once: a finding near
 * the end of a large text asks about all of it.
 */

const NEWLINE = 0x0a;
const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
/** Fewer bytes are counted one by one. */
const LEAST_BYTES = 16;

/** Ones in a word in which at most the highest bit of each byte is set. */
const countFlags = (flags: number): number => Math.imul(flags >>> 7, 0x01010101) >>> 24;

const countBytes = (text: Uint8Array, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at < to; at += 1) if (text[at] === NEWLINE) count += 1;
  return count;
};

/** Newlines in `[from, to)`. */
const countNewlines = (text: Uint8Array, from: number, to: number): number => {
  if (to - from < LEAST_BYTES) return countBytes(text, from, to);
  const first = from + (-(text.byteOffset + from) & 3);
  const words = new Int32Array(text.buffer, text.byteOffset + first, (to - first) >> 2);
  let count = countBytes(text, from, first) + countBytes(text, first + words.length * 4, to);
  for (let at = 0; at < words.length; at += 1) {
    // A byte of `other` is zero where a newline stands; only then does neither it nor the sum have its highest bit.
    const other = (words[at] ?? 0) ^ NEWLINES;
    const flags = ~(((other & LOW_BITS) + LOW_BITS) | other | LOW_BITS);
    if (flags !== 0) count += countFlags(flags);
  }
  return count;
};

/** Answers offsets in rising order; each byte is looked at once, and none behind the last offset asked for. */
export const lineCounter = (text: Uint8Array): ((offset: number) => number) => {
  let line = 1;
  let counted = 0;
  return (offset) => {
    const end = Math.min(offset, text.length);
    if (end > counted) {
      line += countNewlines(text, counted, end);
      counted = end;
    }
    return line;
  };
};
