/**
 * One rule at the places where it may match: RE2 is asked at each, in rising order, whether a match begins there. That is
 * the leftmost search of a regular expression with everything left out that is known to fail, so it finds the same.
 *
 * Where asking costs more than searching would, the rest of the text is searched. What a question in vain costs is known
 * from most patterns; for the others it is timed. The clock decides only which way is taken, never what is found.
 */
import type { CompiledRule } from './compiled-rule.js';
import type { RuleHit } from './rule-hit.js';
import { execAt, matchOf, type RuleMatch, searchRule, takeMatch } from './search-rule.js';

/** Milliseconds from any fixed point. */
export type NowMs = () => number;

/** Bytes that questions in vain may read: so many per byte of text, and at least. */
const VAIN_PER_BYTE = 16;
const VAIN_LEAST_BYTES = 256 * 1024;
/** The same as time: about what searching the text takes, and a little for a short one. */
const VAIN_MS_PER_BYTE = 5e-6;
const VAIN_LEAST_MS = 2;

/** The match that begins at `offset`, if one does. */
const matchAt = (compiled: CompiledRule, text: Uint8Array, offset: number): RuleMatch | null => {
  const regex = compiled.sticky();
  if (compiled.layout === null) return execAt(compiled, regex, text, offset);
  regex.lastIndex = offset;
  return regex.test(text) ? matchOf(compiled, offset, regex.lastIndex, []) : null;
};

/** Adds up what questions in vain cost, as a share of what they may. */
interface Vain {
  begin(): void;
  /** Whether the questions in vain have cost too much. */
  end(): boolean;
}

const countedVain = (bytesEach: number, text: Uint8Array): Vain => {
  const limit = VAIN_LEAST_BYTES + text.length * VAIN_PER_BYTE;
  let spent = 0;
  return {
    begin: () => undefined,
    end: () => {
      spent += bytesEach;
      return spent > limit;
    },
  };
};

const timedVain = (text: Uint8Array, nowMs: NowMs): Vain => {
  const limit = VAIN_LEAST_MS + text.length * VAIN_MS_PER_BYTE;
  let spent = 0;
  let began = 0;
  return {
    begin: () => {
      began = nowMs();
    },
    end: () => {
      spent += nowMs() - began;
      return spent > limit;
    },
  };
};

/** @param starts offsets in rising order, none twice; every match of the rule begins at one of them */
export const searchStarts = (
  compiled: CompiledRule,
  index: number,
  text: Uint8Array,
  starts: readonly number[],
  hits: RuleHit[],
  nowMs: NowMs,
): void => {
  const bytesEach = compiled.plan?.vainBytes ?? null;
  const vain = bytesEach === null ? timedVain(text, nowMs) : countedVain(bytesEach, text);
  let offset = 0;
  for (const start of starts) {
    if (start < offset) continue;
    vain.begin();
    const match = matchAt(compiled, text, start);
    if (match !== null) {
      offset = takeMatch(compiled, index, text, match, hits);
    } else if (vain.end()) {
      searchRule(compiled, index, text, hits, offset);
      return;
    }
  }
};
