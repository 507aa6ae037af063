/** From the bytes that may begin an escape to the escapes: each form reads its own and passes what it has read. */
import { AMPERSAND, BACKSLASH, EQUALS, PERCENT, QUOTE, TRIGGER_FORMS } from './candidates.js';
import { isFullPart, overlapStart, type PointEdits, pointEdits, type TakeEdits } from './edits.js';
import { readEscape } from './escape.js';
import { readEntity } from './html-entity.js';
import { readPercent } from './percent.js';
import { quotedPrintableEdits, readQuotedPrintable } from './quoted-printable.js';
import { readJoin } from './string-join.js';

/** How far beyond the plain context a token is followed: the longest tokens (JWT) have some thousand characters. */
const REACH_BYTES = 4096;

interface Reader {
  readonly form: number;
  readonly open: () => PointEdits;
  /** Adds the escape at `at`, if it is one, and returns where to read on. */
  readonly read: (text: Uint8Array, at: number, edits: PointEdits) => number;
}

/** In the order in which their views are visited. */
const READERS: readonly Reader[] = [
  { form: PERCENT, open: () => pointEdits('percent', 'segment', REACH_BYTES), read: readPercent },
  { form: BACKSLASH, open: () => pointEdits('escape', 'segment', REACH_BYTES), read: readEscape },
  { form: AMPERSAND, open: () => pointEdits('html', 'segment', REACH_BYTES), read: readEntity },
  { form: EQUALS, open: quotedPrintableEdits, read: readQuotedPrintable },
  { form: QUOTE, open: () => pointEdits('joined', 'edit', REACH_BYTES), read: readJoin },
];

/** First trigger at or behind the offset. */
const triggerAt = (triggers: ArrayLike<number>, offset: number): number => {
  let low = 0;
  let high = triggers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((triggers[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** One form's escapes in parts: memory does not grow with a text that is nothing but escapes. */
const takeForm = (text: Uint8Array, triggers: ArrayLike<number>, reader: Reader, take: TakeEdits): boolean => {
  let next = 0;
  while (next < triggers.length) {
    const edits = reader.open();
    let on = 0;
    for (; next < triggers.length && !isFullPart(edits); next += 1) {
      const at = triggers[next] ?? 0;
      if (at >= on && TRIGGER_FORMS[text[at] ?? 0] === reader.form) on = reader.read(text, at, edits);
    }
    if (edits.starts.length > 0 && !take(edits)) return false;
    if (next < triggers.length) next = triggerAt(triggers, overlapStart(edits));
  }
  return true;
};

/**
 * Every escape of the text, form after form, each list in one part but for texts with very many.
 *
 * @returns `false` where `take` wants no more
 */
export const takeEscapes = (text: Uint8Array, triggers: ArrayLike<number>, take: TakeEdits): boolean => {
  let forms = 0;
  for (let i = 0; i < triggers.length; i += 1) forms |= TRIGGER_FORMS[text[triggers[i] ?? 0] ?? 0] ?? 0;
  for (const reader of READERS) {
    if ((forms & reader.form) !== 0 && !takeForm(text, triggers, reader, take)) return false;
  }
  return true;
};
