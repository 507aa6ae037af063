/**
 * For each rule what tells a match at a place: its fixed beginnings, compared byte by byte, then the automaton of the rest,
 * which all rules with the same rest share. Made on first use and kept for as long as the scanner is.
 */
import type { CompiledRule } from './compiled-rule.js';
import { openFirstMatch } from './first-match.js';
import { ASK_RE2, type FirstMatch, type Found, NO_MATCH } from './match-answers.js';
import type { TableRoom } from './match-states.js';
import { type ByteSet, hasByte } from './pattern/byte-set.js';
import { matchProgram } from './pattern/match-program.js';
import { parsePattern } from './pattern/parse-pattern.js';
import type { SplitPattern } from './pattern/split-pattern.js';

/** Bytes of all automata of one scanner; what does not fit asks RE2. */
const TABLE_BYTES = 24 * 1024 * 1024;

/** Where the rule's match that begins at `from` ends; `NO_MATCH`; or `ASK_RE2`. */
export type PlaceMatcher = (text: Uint8Array, from: number, found: Found) => number;

/** `null` for a rule that always asks RE2. */
export type PlaceMatchers = (index: number) => PlaceMatcher | null;

const headEnd = (head: readonly ByteSet[], text: Uint8Array, from: number): number => {
  let at = from;
  for (const set of head) {
    const byte = text[at];
    if (byte === undefined) return NO_MATCH;
    if (byte >= 0x80) return ASK_RE2;
    if (!hasByte(set, byte)) return NO_MATCH;
    at += 1;
  }
  return at;
};

const throughHeads = (heads: SplitPattern['heads'], rest: FirstMatch | null): PlaceMatcher => {
  return (text, from, found) => {
    let isUnsure = false;
    for (const head of heads) {
      const at = headEnd(head, text, from);
      if (at === ASK_RE2) isUnsure = true;
      if (at < 0) continue;
      if (rest === null) {
        found.start = -1;
        found.walked = at - from;
        return at;
      }
      const to = rest.matchAt(text, at, found);
      found.walked += at - from;
      return to;
    }
    found.walked = heads[0]?.length ?? 0;
    return isUnsure ? ASK_RE2 : NO_MATCH;
  };
};

export const placeMatchers = (rules: readonly CompiledRule[]): PlaceMatchers => {
  const room: TableRoom = { bytes: TABLE_BYTES };
  const rests = new Map<string, FirstMatch | null>();
  const made = new Map<number, PlaceMatcher | null>();

  const restOf = (rest: string, tracksValue: boolean): FirstMatch | null => {
    const known = rests.get(rest);
    if (known !== undefined) return known;
    const parsed = parsePattern(rest);
    const program = parsed === null ? null : matchProgram(parsed.root, tracksValue ? 1 : 0);
    const opened = program === null ? null : openFirstMatch(program, tracksValue, room);
    rests.set(rest, opened);
    return opened;
  };

  const make = (index: number): PlaceMatcher | null => {
    const { split = null, layout = null } = rules[index] ?? {};
    if (split === null) return null;
    const { heads, rest } = split;
    // A rest whose value has to be found has a group, so the two kinds never share a text.
    const tracksValue = layout === null;
    const opened = rest === '' ? null : restOf(rest, tracksValue);
    return rest !== '' && opened === null ? null : throughHeads(heads, opened);
  };

  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const matcher = make(index);
    made.set(index, matcher);
    return matcher;
  };
};
