/** From the bytes that may begin an escape to the escapes: each form reads its own and passes what it has read. */
import { AMPERSAND, BACKSLASH, EQUALS, PERCENT, TRIGGER_FORMS } from './candidates.js';
import { type PointEdits, pointEdits } from './edits.js';
import { readEscape } from './escape.js';
import { readEntity } from './html-entity.js';
import { readPercent } from './percent.js';
import { quotedPrintableEdits, readQuotedPrintable } from './quoted-printable.js';
import { readJoin } from './string-join.js';

/** How far beyond the plain context a token is followed: the longest tokens (JWT) have some thousand characters. */
const REACH_BYTES = 4096;

/** Every escape of the text, one list a form, in the order in which their views are visited. */
export const findEscapes = (text: Uint8Array, triggers: ArrayLike<number>): readonly PointEdits[] => {
  if (triggers.length === 0) return [];
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
  for (let i = 0; i < triggers.length; i += 1) {
    const at = triggers[i] ?? 0;
    const form = TRIGGER_FORMS[text[at] ?? 0] ?? 0;
    if (form === BACKSLASH) {
      if (at >= backslashOn) backslashOn = readEscape(text, at, backslash);
    } else if (form === PERCENT) {
      if (at >= percentOn) percentOn = readPercent(text, at, percent);
    } else if (form === AMPERSAND) {
      if (at >= htmlOn) htmlOn = readEntity(text, at, html);
    } else if (form === EQUALS) {
      if (at >= quotedOn) quotedOn = readQuotedPrintable(text, at, quoted);
    } else if (at >= joinedOn) {
      joinedOn = readJoin(text, at, joined);
    }
  }
  return [percent, backslash, html, quoted, joined];
};
