/** What a rule found in one text, before it is mapped to the item: positions only. */

export interface RuleHit {
  /** Index into the rules that the scanner was made of. */
  readonly rule: number;
  /** The value: the rule's group, a half-open byte range of the text. */
  readonly start: number;
  readonly end: number;
}

/** Scans a text on its own. Pure: the same bytes give the same hits, in the order rule, then start. */
export interface TextScanner {
  findHits(text: Uint8Array): RuleHit[];
}

/**
 * Where the search of a rule goes on after a match. Matches of a rule do not overlap, as in any regular expression
 * search; but after a match whose value was refused the value itself may begin a real one
 * (`key = process.env.SECRET || "..."`), so the search goes on inside it. Long matches are passed whole, which keeps
 * the worst case linear.
 */
export const RESUME_INSIDE_BYTES = 256;

/** The offset from which the same rule is searched again. */
export const resumeAfter = (from: number, to: number, valueStart: number, accepted: boolean): number => {
  if (from === to) return to + 1;
  const inside = !accepted && valueStart > from && to - from <= RESUME_INSIDE_BYTES;
  return inside ? valueStart : to;
};
