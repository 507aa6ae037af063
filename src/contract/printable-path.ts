/**
 * A repository path as text: the name itself, `\xNN` for bytes outside UTF-8, and control characters made visible. The
 * result is for people and readers; the object id identifies the file. Whoever writes it into JSON escapes it once more.
 */

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

/** Controls, line separators and format characters can hide or turn what follows; joiners are part of letters and emoji. */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const visible = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return SHORT_ESCAPES.get(code) ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The length of the UTF-8 sequence that a byte starts, or 0 where none can start. */
const sequenceLength = (byte: number): number => {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
};

const decodeOrNull = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
};

/** UTF-8 as it is, `\xNN` for every byte that is part of no character. Controls stay. */
export const escapeInvalidUtf8 = (bytes: Uint8Array): string => {
  const own = Uint8Array.from(bytes); // a decoder takes no shared memory
  const whole = decodeOrNull(own);
  if (whole !== null) return whole;
  let text = '';
  let at = 0;
  while (at < own.length) {
    const byte = own[at] ?? 0;
    const length = sequenceLength(byte);
    const character = length > 0 && at + length <= own.length ? decodeOrNull(own.subarray(at, at + length)) : null;
    text += character ?? `\\x${byte.toString(16).padStart(2, '0')}`;
    at += character === null ? 1 : length;
  }
  return text;
};

/** Deterministic, on one line, never empty for a path that is not. */
export const printablePath = (path: Uint8Array): string => escapeInvalidUtf8(path).replaceAll(HIDDEN, visible);
