/**
 * One rule at the places where it may match: RE2 is asked at each, in rising order, whether a match begins there. That is
 * the leftmost search of a regular expression with everything left out that is known to fail, so it finds the same.
 *
 * Where asking costs more than searching would, the rest of the text is searched.
 */
import type { CompiledRule } from './compiled-rule.js';
import type { RuleHit } from './rule-hit.js';
import { execAt, matchOf, type RuleMatch, searchRule, takeMatch } from './search-rule.js';

/** Bytes that questions in vain may read: so many per byte of text, and at least. */
const VAIN_PER_BYTE = 16;
const VAIN_LEAST_BYTES = 64 * 1024;
/** The same where a question may read to the text's end. */
const VAIN_OPEN_LEAST_BYTES = 4 * 1024 * 1024;

/** The match that begins at `offset`, if one does. */
const matchAt = (compiled: CompiledRule, text: Uint8Array, offset: number): RuleMatch | null => {
  const regex = compiled.sticky();
  if (compiled.layout === null) return execAt(compiled, regex, text, offset);
  regex.lastIndex = offset;
  return regex.test(text) ? matchOf(compiled, offset, regex.lastIndex, []) : null;
};

/** What a question in vain may have read, and how much of that is too much. */
const vainLimits = (compiled: CompiledRule, text: Uint8Array): { readonly cost: number; readonly limit: number } => {
  const most = compiled.plan?.vainBytes ?? null;
  const limit = text.length * VAIN_PER_BYTE;
  if (most === null) return { cost: text.length, limit: limit + VAIN_OPEN_LEAST_BYTES };
  return { cost: most, limit: limit + VAIN_LEAST_BYTES };
};

/** @param starts offsets in rising order, none twice; every match of the rule begins at one of them */
export const searchStarts = (
  compiled: CompiledRule,
  index: number,
  text: Uint8Array,
  starts: readonly number[],
  hits: RuleHit[],
): void => {
  const { cost, limit } = vainLimits(compiled, text);
  let offset = 0;
  let vain = 0;
  for (const start of starts) {
    if (start < offset) continue;
    const match = matchAt(compiled, text, start);
    if (match !== null) {
      offset = takeMatch(compiled, index, text, match, hits);
      continue;
    }
    vain += cost;
    if (vain > limit) {
      searchRule(compiled, index, text, hits, offset);
      return;
    }
  }
};
