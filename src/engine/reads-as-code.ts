/**
 * Whether a value could be code: words, dotted names, calls. Looked for everywhere, such a value would let a change hide
 * its own code from the reviewer, so it is blanked only where it stands between quotes. Random values hold few runs of
 * letters long enough to be words.
 */

/** Share of the letters that stand in parts like `get`, `User` or `sha`; a random text has far less. */
const LEAST_WORD_SHARE = 0.7;
const LEAST_PART_LETTERS = 3;

/** Parts of names: `HTTP`, `User`, `by`. */
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g;

/** True where the letters of the value mostly make words; a value without letters is no code. */
export const readsAsCode = (value: Uint8Array): boolean => {
  const parts = Buffer.from(value).toString('latin1').match(PART) ?? [];
  let letters = 0;
  let inWords = 0;
  for (const { length } of parts) {
    letters += length;
    if (length >= LEAST_PART_LETTERS) inWords += length;
  }
  return letters > 0 && inWords / letters >= LEAST_WORD_SHARE;
};

const isQuote = (code: number | undefined): boolean => code === 0x22 || code === 0x27 || code === 0x60;

/** Whether `[start, end)` is all that stands between two equal quotes; an escaped quote counts as one. */
export const fillsQuotes = (text: Uint8Array, start: number, end: number): boolean => {
  const before = text[start - 1];
  const after = text[end] === 0x5c ? text[end + 1] : text[end];
  return isQuote(before) && before === after;
};
