/**
 * Takes the kind out of `[blanked <kind> ...]` in the copy of a text that is scanned. A kind names a vendor, and a rule that
 * reads "vendor, then a value" would take what follows a mark on its line: an id would be blanked for nothing, and what is
 * blanked already would be blanked further each time.
 *
 * Marks are known by their look, ours and any that an item holds itself, and neither is trusted: only the words of a kind
 * that the rules have are masked, so what stands there is known to hold no secret, and all around it is scanned as it is.
 */
import { MARK_OPENING } from '../contract/bundle.js';
import { PEM_KINDS } from '../views/pem-labels.js';
import type { CompiledRule } from './compiled-rule.js';

const OPENING = Buffer.from(MARK_OPENING);
const LONGEST_KIND_BYTES = 64;
const BLANK = 0x20;
const CLOSING = 0x5d;
const COLON = 0x3a;
const FILLER = 0x5f;

/** Answers the text, or a copy of the same length where it holds marks. */
export type MaskMarks = (text: Uint8Array) => Uint8Array;

/** Kinds of marks that could lead a rule on: those that name a vendor, or mean a secret. */
export const markKinds = (rules: readonly CompiledRule[]): ReadonlySet<string> =>
  new Set([...rules.filter(({ rule }) => rule.family === 'secret').map(({ rule }) => rule.kind), ...PEM_KINDS]);

/** Where the word that begins at `from` ends: at a blank or the bracket; -1 where it is longer than any kind. */
const kindEnd = (text: Uint8Array, from: number): number => {
  for (let at = from; at <= from + LONGEST_KIND_BYTES; at += 1) {
    const byte = text[at];
    if (byte === BLANK || byte === CLOSING) return at;
  }
  return -1;
};

/** @param kinds as rules name them, e.g. `token:github_pat` */
export const marksMasker = (kinds: ReadonlySet<string>): MaskMarks => {
  return (text) => {
    const buffer = Buffer.from(text.buffer, text.byteOffset, text.length);
    let masked: Buffer | null = null;
    for (let at = buffer.indexOf(OPENING); at !== -1; at = buffer.indexOf(OPENING, at + OPENING.length)) {
      const from = at + OPENING.length;
      const end = kindEnd(buffer, from);
      if (end === -1 || !kinds.has(buffer.toString('latin1', from, end))) continue;
      masked ??= Buffer.from(buffer);
      for (let byte = from; byte < end; byte += 1) if (masked[byte] !== COLON) masked[byte] = FILLER;
    }
    return masked ?? text;
  };
};
