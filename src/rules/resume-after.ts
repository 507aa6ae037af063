/**
 * Where the search of a rule goes on after a match. Matches of a rule do not overlap, as in any regular expression
 * search; but after a match whose value was refused the value itself may begin a real one
 * (`key = process.env.SECRET || "..."`), so the search goes on inside it. Long matches are passed whole, which keeps
 * the worst case linear.
 */
const RESUME_INSIDE_BYTES = 256;

/** The offset from which the same rule is searched again. */
export const resumeAfter = (
  match: { readonly from: number; readonly to: number; readonly start: number },
  accepted: boolean,
): number => {
  const { from, to, start } = match;
  if (from === to) return to + 1;
  return !accepted && start > from && to - from <= RESUME_INSIDE_BYTES ? start : to;
};
