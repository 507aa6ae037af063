/**
 * A provider's own words in one of our messages: scrubbed whole, then cut, then made printable.
 *
 * In that order: a value cut in two before scrubbing would leave a half that no pattern knows.
 */
import { printable } from '../contract/printable.js';
import type { Scrub } from './scrub.js';

/** Most bytes of a provider's error that a message quotes. */
const QUOTE_BYTES = 200;
/** Most bytes of a name or id that a provider reports. */
export const NAME_BYTES = 128;

/** At most `mostBytes` of the text, ending at a whole character, safe to print. */
export const quoted = (text: string, scrub: Scrub, mostBytes = QUOTE_BYTES): string => {
  const bytes = Buffer.from(scrub(text.trim()));
  if (bytes.length <= mostBytes) {
    return printable(bytes.toString());
  }
  let end = mostBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return `${printable(bytes.toString('utf8', 0, end))}...`;
};

/** A name or id as reported, or `null` where there is none. */
export const reportedName = (value: unknown, scrub: Scrub): string | null =>
  typeof value === 'string' && value.trim() !== '' ? quoted(value, scrub, NAME_BYTES) : null;
