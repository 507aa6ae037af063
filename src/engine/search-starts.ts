/**
 * One rule at the places where it may match: the rule's own automaton, or RE2, is asked at each, in rising order, whether a
 * match begins there. That is the leftmost search of a regular expression with everything left out that is known to fail,
 * so it finds the same.
 *
 * Where asking costs more than searching would, the rest of the text is searched. What a question in vain costs is counted,
 * but for patterns without a bound that RE2 is asked about; those are timed. The clock decides only which way is taken,
 * never what is found.
 */
import type { CompiledRule } from './compiled-rule.js';
import { ASK_RE2, type Found, NO_MATCH } from './match-answers.js';
import type { PlaceMatcher } from './place-matchers.js';
import type { RuleHit } from './rule-hit.js';
import { execAt, isOverfull, matchOf, type RuleMatch, searchRule, takeMatch } from './search-rule.js';

/** Milliseconds from any fixed point. */
export type NowMs = () => number;

/** Bytes that questions in vain may read: so many per byte of text, and at least. */
const VAIN_PER_BYTE = 16;
const VAIN_LEAST_BYTES = 256 * 1024;
/** The same as time: about what searching the text takes, and a little for a short one. */
const VAIN_MS_PER_BYTE = 5e-6;
const VAIN_LEAST_MS = 2;

/** The match that begins at `offset`, if one does, as RE2 says. */
const askAt = (compiled: CompiledRule, text: Uint8Array, offset: number): RuleMatch | null => {
  const regex = compiled.sticky();
  if (compiled.layout === null) return execAt(compiled, regex, text, offset);
  regex.lastIndex = offset;
  return regex.test(text) ? matchOf(compiled, offset, regex.lastIndex, []) : null;
};

/** Overwritten by every look. */
const found: Found = { start: 0, end: 0, walked: 0 };

/** Adds up what was asked in vain, in bytes and in time, until either is more than it may be. */
const vainLimit = (text: Uint8Array): { spend(bytes: number, ms: number): boolean } => {
  const mostBytes = VAIN_LEAST_BYTES + text.length * VAIN_PER_BYTE;
  const mostMs = VAIN_LEAST_MS + text.length * VAIN_MS_PER_BYTE;
  let bytesSpent = 0;
  let msSpent = 0;
  return {
    spend: (bytes, ms) => {
      bytesSpent += bytes;
      msSpent += ms;
      return bytesSpent > mostBytes || msSpent > mostMs;
    },
  };
};

/** @param starts offsets in rising order, none twice; every match of the rule begins at one of them */
export const searchStarts = (
  compiled: CompiledRule,
  matcher: PlaceMatcher | null,
  index: number,
  text: Uint8Array,
  starts: readonly number[],
  hits: RuleHit[],
  nowMs: NowMs,
): void => {
  const bytesEach = compiled.plan?.vainBytes ?? null;
  const vain = vainLimit(text);
  let offset = 0;
  for (const start of starts) {
    if (start < offset) continue;
    if (isOverfull(hits)) return;
    const to = matcher === null ? ASK_RE2 : matcher(text, start, found);
    const began = to === ASK_RE2 && bytesEach === null ? nowMs() : 0;
    const match = to === ASK_RE2 ? askAt(compiled, text, start) : to === NO_MATCH ? null : placed(compiled, start, to);
    if (match !== null) {
      offset = takeMatch(compiled, index, text, match, hits);
      continue;
    }
    const askedBytes = to === ASK_RE2 ? (bytesEach ?? 0) : found.walked;
    const askedMs = to === ASK_RE2 && bytesEach === null ? nowMs() - began : 0;
    if (vain.spend(askedBytes, askedMs)) {
      searchRule(compiled, index, text, hits, offset);
      return;
    }
  }
};

/** The match that was just found from `from` to `to`. */
const placed = (compiled: CompiledRule, from: number, to: number): RuleMatch => {
  if (compiled.layout !== null || found.start === -1) return matchOf(compiled, from, to, []);
  return { from, to, start: found.start, end: found.end };
};
