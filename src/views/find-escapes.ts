/**
 * One pass over a text that finds the beginnings of all escapes at once. Bytes that begin nothing cost one table read;
 * a text without any candidate costs nothing else.
 */
import { type PointEdits, pointEdits } from './edits.js';
import { readEscape } from './escape.js';
import { readEntity } from './html-entity.js';
import { readPercent } from './percent.js';
import { quotedPrintableEdits, readQuotedPrintable } from './quoted-printable.js';
import { MAY_FOLLOW_QUOTE, readJoin } from './string-join.js';

const PERCENT = 1;
const BACKSLASH = 2;
const AMPERSAND = 3;
const EQUALS = 4;
const QUOTE = 5;

const TRIGGERS = new Uint8Array(256);
for (const [char, trigger] of [
  ['%', PERCENT],
  ['\\', BACKSLASH],
  ['&', AMPERSAND],
  ['=', EQUALS],
  ['"', QUOTE],
  ["'", QUOTE],
  ['`', QUOTE],
] as const) {
  TRIGGERS[char.charCodeAt(0)] = trigger;
}

/** How far beyond the plain context a token is followed: the longest tokens (JWT) have some thousand characters. */
const REACH_BYTES = 4096;

/** Every escape of the text, one list a form, in the order in which their views are visited. */
export const findEscapes = (bytes: Uint8Array): readonly PointEdits[] => {
  const percent = pointEdits('percent', 'segment', REACH_BYTES);
  const backslash = pointEdits('escape', 'segment', REACH_BYTES);
  const html = pointEdits('html', 'segment', REACH_BYTES);
  const quoted = quotedPrintableEdits();
  const joined = pointEdits('joined', 'edit', REACH_BYTES);
  let percentOn = 0;
  let backslashOn = 0;
  let htmlOn = 0;
  let quotedOn = 0;
  let joinedOn = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const trigger = TRIGGERS[bytes[at] ?? 0] ?? 0;
    if (trigger === 0) continue;
    if (trigger === QUOTE) {
      if (at >= joinedOn && MAY_FOLLOW_QUOTE[bytes[at + 1] ?? 0] === 1) joinedOn = readJoin(bytes, at, joined);
    } else if (trigger === BACKSLASH) {
      if (at >= backslashOn) backslashOn = readEscape(bytes, at, backslash);
    } else if (trigger === EQUALS) {
      if (at >= quotedOn) quotedOn = readQuotedPrintable(bytes, at, quoted);
    } else if (trigger === AMPERSAND) {
      if (at >= htmlOn) htmlOn = readEntity(bytes, at, html);
    } else if (at >= percentOn) {
      percentOn = readPercent(bytes, at, percent);
    }
  }
  return [percent, backslash, html, quoted, joined];
};
