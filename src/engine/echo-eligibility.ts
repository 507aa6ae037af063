/**
 * Whether a value may be looked for in the rest of the bundle. An echo blanks text that no rule found, so a change that
 * plants `token = "execSync(cmd"` must not be able to hide its own code from the reviewer: short values, values that are
 * not rare, and values that stand as code or read as code are blanked where they were found and nowhere else.
 */
import type { Rule } from '../contract/rule.js';
import { isRare } from '../rules/rarity.js';

/** Shorter values turn up by chance. */
export const ECHO_LEAST_BYTES = 12;

/** Context that is looked at for quotes, on each side. */
const QUOTE_CONTEXT_BYTES = 3;

const isQuote = (code: number | undefined): boolean => code === 0x22 || code === 0x27 || code === 0x60;

/** A quote within a few bytes on both sides; a few, for `\"`, `b"`, `"Bearer `. */
const standsInQuotes = (text: Uint8Array, start: number, end: number): boolean => {
  const before = text.subarray(Math.max(0, start - QUOTE_CONTEXT_BYTES), start);
  const after = text.subarray(end, end + QUOTE_CONTEXT_BYTES);
  return before.some(isQuote) && after.some(isQuote);
};

/** `name(`, `a.name(`: a call, in the value itself. */
const CALL = /(?:^|[^A-Za-z0-9_$])[A-Za-z_$]{3,}\(/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
/** What follows or precedes a name that is used, not written down. */
const USED_AFTER = /^\s?[([.]|^\s?=>/;
const USED_BEFORE = /(?:[\w$)\]]\.|\bnew\s|\bfunction\s|\bclass\s|\bawait\s)$/;

/** Whether the value is an identifier outside quotes that the code around it calls, indexes or reaches into. */
const standsAsCode = (text: Uint8Array, start: number, end: number, value: string): boolean => {
  if (standsInQuotes(text, start, end) || !IDENTIFIER.test(value)) return false;
  const before = Buffer.from(text.subarray(Math.max(0, start - 16), start)).toString('latin1');
  const after = Buffer.from(text.subarray(end, end + 4)).toString('latin1');
  return USED_AFTER.test(after) || USED_BEFORE.test(before);
};

/** `[start, end)` is the value's span in `text`; nothing is kept. */
export const mayEcho = (rule: Rule, text: Uint8Array, start: number, end: number): boolean => {
  if (rule.severity !== 'block' || end - start < ECHO_LEAST_BYTES) return false;
  const bytes = text.subarray(start, end);
  const value = Buffer.from(bytes).toString('latin1');
  return isRare(bytes) && !CALL.test(value) && !standsAsCode(text, start, end, value);
};
