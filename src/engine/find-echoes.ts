/**
 * Every other place a known value stands in a text, in each of its forms. A hit covers what must go for the value to be
 * gone: base64 by whole groups, a key's lines as one span. A value that reads as code is left outside quotes, so that a
 * change cannot hide its own code by naming it a token.
 */
import { MOST_FINDINGS_IN_TEXT } from '../contract/item-bounds.js';
import type { EchoHit, EchoNeedle } from '../contract/scan.js';
import { type EchoForm, echoForms } from './echo-forms.js';
import { type FormIndex, indexForms, LEAST_FORM_BYTES, searchForms } from './form-index.js';
import { lineCounter } from './line-counter.js';
import { type CodeShape, codeShape, mayBlank } from './reads-as-code.js';

/** Finds the echoes of a fixed set of needles. */
export interface EchoFinder {
  /** `null` when there are more hits than one text may have. */
  find(text: Uint8Array): EchoHit[] | null;
}

/** What the forms of one needle that are judged alike have in common: there are many more forms than of these. */
interface Form {
  readonly kind: EchoForm['kind'];
  readonly lead: number;
  readonly needleId: number;
  readonly shape: CodeShape;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly form: Form;
}

/** What may stand between two lines of one key. */
const BETWEEN_LINES = /^(?:\\+[nr]|<br ?\/?>|&#x?[0-9A-Da-d]{1,2};|%0[AaDd]|[^A-Za-z0-9])*$/;
const MOST_BETWEEN_BYTES = 48;
const PADDING = 0x3d;

const isBase64 = (code: number | undefined): boolean =>
  code !== undefined && /[A-Za-z0-9+/_-]/.test(String.fromCharCode(code));

/** The whole groups that hold any of the form's characters, as far as base64 stands there. */
const wholeGroups = (text: Uint8Array, start: number, end: number, lead: number): { start: number; end: number } => {
  let from = start;
  while (from > start - lead && isBase64(text[from - 1])) from -= 1;
  const wanted = end + ((4 - ((lead + end - start) % 4)) % 4);
  let to = end;
  while (to < wanted && isBase64(text[to])) to += 1;
  while (to < wanted && text[to] === PADDING) to += 1;
  return { start: from, end: to };
};

const placeOf = (text: Uint8Array, form: Form, start: number, end: number): Place | null => {
  if (form.kind === 'base64') return { ...wholeGroups(text, start, end, form.lead), form };
  return mayBlank(text, start, end, form.shape) ? { start, end, form } : null;
};

/** Whether the place continues the last one: the next line of the same key. */
const continues = (text: Uint8Array, last: Place | undefined, place: Place): last is Place => {
  if (last === undefined || last.form.kind !== 'line' || place.form.kind !== 'line') return false;
  if (last.form.needleId !== place.form.needleId) return false;
  const gap = place.start - last.end;
  return (
    gap <= MOST_BETWEEN_BYTES && BETWEEN_LINES.test(Buffer.from(text.slice(last.end, place.start)).toString('latin1'))
  );
};

/** Kinds that have no lead, by their number; base64 follows, a number for each lead. */
const LEADLESS = ['value', 'line', 'escaped'] as const;
const FORM_CODES = 8;

const codeOf = ({ kind, lead }: EchoForm): number =>
  kind === 'base64' ? LEADLESS.length + lead : LEADLESS.indexOf(kind);

/** What a text is searched for: each form's bytes with the number of its needle and kind. */
interface Forms {
  readonly numbers: ReadonlyMap<string, number>;
  formOf(number: number): Form | null;
}

const formsOf = (needles: readonly EchoNeedle[]): Forms => {
  const numbers = new Map<string, number>();
  for (const [at, { bytes }] of needles.entries()) {
    for (const form of echoForms(bytes)) {
      const text = Buffer.from(form.bytes).toString('latin1');
      if (text.length >= LEAST_FORM_BYTES && !numbers.has(text)) numbers.set(text, at * FORM_CODES + codeOf(form));
    }
  }
  const shapes = needles.map(({ bytes }) => codeShape(bytes));
  return {
    numbers,
    formOf: (number) => {
      const at = Math.floor(number / FORM_CODES);
      const needle = needles[at];
      if (needle === undefined) return null;
      const code = number % FORM_CODES;
      const kind = LEADLESS[code] ?? 'base64';
      const lead = kind === 'base64' ? code - LEADLESS.length : 0;
      return { kind, lead, needleId: needle.id, shape: kind === 'value' ? (shapes[at] ?? 'none') : 'none' };
    },
  };
};

const findWith = ({ formOf }: Forms, index: FormIndex, text: Uint8Array): EchoHit[] | null => {
  const places: Place[] = [];
  searchForms(text, index, (number, start, end) => {
    if (places.length > MOST_FINDINGS_IN_TEXT) return;
    const form = formOf(number);
    const place = form === null ? null : placeOf(text, form, start, end);
    if (place === null) return;
    const last = places.at(-1);
    if (continues(text, last, place)) places[places.length - 1] = { ...last, end: place.end };
    else places.push(place);
  });
  if (places.length > MOST_FINDINGS_IN_TEXT) return null;
  const lineOf = lineCounter(text);
  return places
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, form }) => ({ start, end, needleId: form.needleId, line: lineOf(start) }));
};

/** Makes the index of the needles' forms; worth keeping for as long as the needles are the same. */
const echoFinder = (needles: readonly EchoNeedle[]): EchoFinder => {
  const forms = formsOf(needles);
  if (forms.numbers.size === 0) return { find: () => [] };
  const index = indexForms(forms.numbers);
  return { find: (text) => findWith(forms, index, text) };
};

const isSame = (a: readonly EchoNeedle[], b: readonly EchoNeedle[]): boolean =>
  a.length === b.length &&
  a.every(({ id, bytes }, index) => {
    const other = b[index];
    return other !== undefined && other.id === id && Buffer.compare(bytes, other.bytes) === 0;
  });

/** One a thread: the batches of a run all bring the same needles, and an index is dear compared with a batch. */
export const echoFinders = (): ((needles: readonly EchoNeedle[]) => EchoFinder) => {
  let kept: { readonly needles: readonly EchoNeedle[]; readonly finder: EchoFinder } = {
    needles: [],
    finder: echoFinder([]),
  };
  return (needles) => {
    if (!isSame(kept.needles, needles)) kept = { needles, finder: echoFinder(needles) };
    return kept.finder;
  };
};

/**
 * @param text read, not kept
 * @param needles values of at least 8 bytes; shorter ones are not looked for
 * @returns hits in ascending order, `null` where there are too many; hits of different values may overlap
 */
export const findEchoes = (text: Uint8Array, needles: readonly EchoNeedle[]): EchoHit[] | null =>
  echoFinder(needles).find(text);
