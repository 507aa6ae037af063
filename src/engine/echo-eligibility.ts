/**
 * Whether a value may be looked for in the rest of the bundle. An echo blanks text that no rule found, so a change that
 * plants `token = "execSync(cmd"` must not be able to hide its own code from the reviewer: values that are short, not
 * rare, or stand as code outside quotes are blanked where they were found and nowhere else.
 */
import type { Severity } from '../contract/finding.js';
import { isRare } from '../rules/rarity.js';
import { fillsQuotes, readsAsCode } from './reads-as-code.js';

/** Shorter values turn up by chance. */
const ECHO_LEAST_BYTES = 12;

/** `[start, end)` is the value's span in `text`; nothing is kept. */
export const mayEcho = (severity: Severity, text: Uint8Array, start: number, end: number): boolean => {
  if (severity !== 'block' || end - start < ECHO_LEAST_BYTES) return false;
  const value = text.subarray(start, end);
  return isRare(value) && (!readsAsCode(value) || fillsQuotes(text, start, end));
};
