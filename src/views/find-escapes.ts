/** From the bytes that may begin an escape to the escapes: each form reads its own and passes what it has read. */
import { AMPERSAND, BACKSLASH, EQUALS, PERCENT, QUOTE, TRIGGER_FORMS } from './candidates.js';
import { type PointEdits, pointEdits } from './edits.js';
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

const readForm = (text: Uint8Array, triggers: ArrayLike<number>, reader: Reader): PointEdits => {
  const edits = reader.open();
  let on = 0;
  for (let i = 0; i < triggers.length; i += 1) {
    const at = triggers[i] ?? 0;
    if (at >= on && TRIGGER_FORMS[text[at] ?? 0] === reader.form) on = reader.read(text, at, edits);
  }
  return edits;
};

/** Every escape of the text, one list a form; forms without a trigger have none. */
export const findEscapes = (text: Uint8Array, triggers: ArrayLike<number>): readonly PointEdits[] => {
  let forms = 0;
  for (let i = 0; i < triggers.length; i += 1) forms |= TRIGGER_FORMS[text[triggers[i] ?? 0] ?? 0] ?? 0;
  if (forms === 0) return [];
  return READERS.filter(({ form }) => (forms & form) !== 0).map((reader) => readForm(text, triggers, reader));
};
