/**
 * A rule that finds what blanking writes would never let a bundle settle: it is refused when it loads, not after three
 * rounds of blanking.
 */
import { ColdsealError } from '../contract/error.js';
import type { Span } from '../contract/finding.js';

const PLACEHOLDERS = [
  '[blanked',
  '[blanked token:example #1]',
  '[blanked net:ipv4]',
  'key = "[blanked token:generic_secret #12]"',
  'https://user:[blanked token:url_password #3]@host/',
];

/** Whether `find` takes anything of a placeholder. */
export const findsPlaceholder = (find: (text: Uint8Array) => readonly Span[]): boolean =>
  PLACEHOLDERS.some((text) => find(Buffer.from(text, 'utf8')).length > 0);

/** Throws `SCANNER_DEGRADED` naming `owner`: the rule and where it stands. */
export const refusePlaceholderRule = (owner: string, find: (text: Uint8Array) => readonly Span[]): void => {
  if (findsPlaceholder(find)) {
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `${owner}: it matches "[blanked", which is what blanking writes. Narrow its pattern.`,
    );
  }
};
