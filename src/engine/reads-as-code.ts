/**
 * Whether a value could be code: words, dotted names, calls. Looked for everywhere, such a value would let a change hide
 * its own code from the reviewer, so it is blanked only where it fills quotes. Random values hold few runs of
 * letters long enough to be words.
 */

/** Share of the letters that stand in parts like `get`, `User` or `sha`; a random text has far less. */
const LEAST_WORD_SHARE = 0.7;
const LEAST_PART_LETTERS = 3;

/** Parts of names: `HTTP`, `User`, `by`. */
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g;

/** Between the words of an expression or statement, not in a password that people make up. */
const CODE_MARKS = /[(){};<>=,\s]/;

/**
 * How far a value reads as code: `none` for random text, `code` for words and calls, `perhaps` for one name with digits,
 * which may be an identifier (`sha256ToBase64Url`) or a password that somebody made up.
 */
export type CodeShape = 'none' | 'perhaps' | 'code';

export const codeShape = (value: Uint8Array): CodeShape => {
  const text = Buffer.from(value).toString('latin1');
  let letters = 0;
  let inWords = 0;
  for (const { length } of text.match(PART) ?? []) {
    letters += length;
    if (length >= LEAST_PART_LETTERS) inWords += length;
  }
  if (letters === 0 || inWords / letters < LEAST_WORD_SHARE) return 'none';
  return /\d/.test(text) && !CODE_MARKS.test(text) ? 'perhaps' : 'code';
};

/** Whether the value is `code`: nothing but quotes around it says that it is no code. */
export const readsAsCode = (value: Uint8Array): boolean => codeShape(value) === 'code';

const isQuote = (code: number | undefined): boolean => code === 0x22 || code === 0x27 || code === 0x60;

/** Whether `[start, end)` is all that stands between two equal quotes; an escaped quote counts as one. */
export const fillsQuotes = (text: Uint8Array, start: number, end: number): boolean => {
  const before = text[start - 1];
  const after = text[end] === 0x5c ? text[end + 1] : text[end];
  return isQuote(before) && before === after;
};

/** What stands around a name that is used: called, reached into, declared, passed on. */
const USED_AFTER = /^\s?(?:[([),:]|\.\w|=>|\?\.)/;
const USED_BEFORE =
  /(?:[.([,!&|?]\s?|\b(?:function|new|class|const|let|var|def|fn|func|import|export|await|return|typeof|raise|throw|yield|case|extends|elif)\s)$/;
/** What a line of text does not hold and most lines of code do. */
const CODE_ON_LINE = /[(){}[\];=<>+*&|!?,]/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** `DB_PASS=` and `password: `, the whole line up to the value, as files of settings have it. */
const SETS_VARIABLE = /^\s*(?:export\s+)?[A-Z][A-Z0-9_]{2,}=$/;
const SETS_MEMBER = /^\s*(?:-\s+)?[\w.-]+:\s+$/;
const CLOSES_CODE = /^\r?\n[-+ ]?\s*[}\])]/;
const LOOK_BYTES = 160;

const latin1 = (text: Uint8Array, start: number, end: number): string =>
  Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('latin1');

/** Whether the line is one of settings or of prose, not of code, with the name between `before` and `behind`. */
const isTextLine = (before: string, behind: string): boolean => {
  const [rest = ''] = behind.split(/\r?\n/, 1);
  if (rest.trim() === '' && (SETS_VARIABLE.test(before) || SETS_MEMBER.test(before))) return !CLOSES_CODE.test(behind);
  return !CODE_ON_LINE.test(before) && !CODE_ON_LINE.test(rest);
};

const standsAsCode = (text: Uint8Array, start: number, end: number): boolean => {
  const behind = latin1(text, end, Math.min(text.length, end + LOOK_BYTES));
  const before = latin1(text, Math.max(0, start - LOOK_BYTES), start);
  if (USED_AFTER.test(behind) || USED_BEFORE.test(before)) return true;
  if (!IDENTIFIER.test(latin1(text, start, end))) return false;
  // The sign of a diff's line is not the line's.
  const line = before.slice(before.lastIndexOf('\n') + 1).replace(/^[-+ ]/, '');
  return !isTextLine(line, behind);
};

/** Whether the value at `[start, end)` may be blanked without hiding code. */
export const mayBlank = (text: Uint8Array, start: number, end: number, shape: CodeShape): boolean => {
  if (shape === 'none' || fillsQuotes(text, start, end)) return true;
  return shape === 'perhaps' && !standsAsCode(text, start, end);
};
