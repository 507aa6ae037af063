/**
 * One rule at the places where it may match: RE2 is asked at each, in rising order, whether a match begins there. That is
 * the leftmost search of a regular expression with everything left out that is known to fail, so it finds the same.
 *
 * Where asking costs more than searching would, the rest of the text is searched. What a question in vain costs is known
 * from most patterns; for the others it is timed. The clock decides only which way is taken, never what is found.
 */
import type RE2 from 're2';
import type { CompiledCut, CompiledRule } from './compiled-rule.js';
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

/** Answers of the pieces before it is judged whether they are worth asking, and the share that must be of use. */
const CUT_TRIALS = 16;
const LEAST_CUT_SHARE = 0.5;

/** Where `regex` matches at `offset` to; -1 where it does not. */
const endAt = (regex: RE2, text: Uint8Array, offset: number): number => {
  regex.lastIndex = offset;
  return regex.test(text) ? regex.lastIndex : -1;
};

/**
 * The match that begins at `offset`, from the pieces of the pattern: RE2 tells where a match ends ten times faster than
 * where a group stands. Where the prefix does not match nothing does; where its first choice goes on to match, that is the
 * pattern's first choice. `undefined` where only the whole pattern can tell.
 */
const matchPieces = (cut: CompiledCut, text: Uint8Array, offset: number): RuleMatch | null | undefined => {
  const start = cut.prefix === null ? offset : endAt(cut.prefix(), text, offset);
  if (start === -1) return null;
  const to = endAt(cut.rest(), text, start);
  if (to === -1) return cut.prefix === null ? null : undefined;
  if (cut.suffixBytes !== null) return { from: offset, to, start, end: to - cut.suffixBytes };
  const end = endAt(cut.value(), text, start);
  const isFirst = cut.suffix !== null && end !== -1 && endAt(cut.suffix(), text, end) === to;
  return isFirst ? { from: offset, to, start, end } : undefined;
};

const matchCut = (cut: CompiledCut, text: Uint8Array, offset: number): RuleMatch | null | undefined => {
  if (cut.asked > CUT_TRIALS && cut.unsure > cut.asked * LEAST_CUT_SHARE) return undefined;
  const match = matchPieces(cut, text, offset);
  cut.asked += 1;
  if (match === undefined) cut.unsure += 1;
  return match;
};

/** The match that begins at `offset`, if one does. */
const matchAt = (compiled: CompiledRule, text: Uint8Array, offset: number): RuleMatch | null => {
  const { cut, layout } = compiled;
  if (layout === null) {
    const match = cut === null ? undefined : matchCut(cut, text, offset);
    return match === undefined ? execAt(compiled, compiled.sticky(), text, offset) : match;
  }
  const to = endAt(compiled.sticky(), text, offset);
  return to === -1 ? null : matchOf(compiled, offset, to, []);
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
