/** A whole number as a person types it after an option: one grammar and one sentence for every verb. */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { textOption, type VerbWords } from './verb-context.js';

export interface NumberBounds {
  /** 1 when left out. */
  readonly least?: number;
  /** At most nine digits. */
  readonly most: number;
}

/** `null` when it was not typed. `USAGE` naming the flag and its bounds. */
export const numberOption = (
  words: VerbWords,
  name: string,
  flag: string,
  { least = 1, most }: NumberBounds,
): number | null => {
  const typed = textOption(words, name);
  if (typed === null) return null;
  const value = Number(typed);
  if (/^\d{1,9}$/.test(typed) && value >= least && value <= most) return value;
  throw new ColdsealError('USAGE', `${flag} takes a whole number from ${least} to ${most}, not ${printable(typed)}`);
};
