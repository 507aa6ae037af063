/**
 * One rule over one text with nothing but RE2. It defines what a rule finds: the fast way must answer the same, and
 * falls back to this for a pattern it cannot analyse and for a text on which its own way would cost too much.
 */
import type RE2 from 're2';
import { MOST_FINDINGS_IN_TEXT } from '../contract/item-bounds.js';
import { resumeAfter } from '../rules/resume-after.js';
import type { CompiledRule } from './compiled-rule.js';
import type { RuleHit } from './rule-hit.js';

/** A match and the value in it; the value is empty where its group took no part. */
export interface RuleMatch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** Where the value stands in the match `[from, to)`, which `groups` tells where the layout does not. */
export const matchOf = (
  { layout, group }: CompiledRule,
  from: number,
  to: number,
  groups: readonly (readonly [number, number] | undefined)[],
): RuleMatch => {
  if (layout !== null) return { from, to, start: from + layout.afterStart, end: to - layout.beforeEnd };
  const [start, end] = groups[group] ?? [from, from];
  return { from, to, start, end };
};

/** Runs `regex` (with the flag `d`) from `offset`; null without a match. */
export const execAt = (compiled: CompiledRule, regex: RE2, text: Uint8Array, offset: number): RuleMatch | null => {
  regex.lastIndex = offset;
  const indices = regex.exec(text)?.indices;
  const whole = indices?.[0];
  return indices === undefined || whole === undefined ? null : matchOf(compiled, whole[0], whole[1], indices);
};

/** Judges the match's value and notes it; returns where the search goes on. */
export const takeMatch = (
  compiled: CompiledRule,
  index: number,
  text: Uint8Array,
  match: RuleMatch,
  hits: RuleHit[],
): number => {
  const accepted = match.end > match.start && compiled.accepts(text, match.start, match.end);
  if (accepted) hits.push({ rule: index, ...match });
  return resumeAfter(match, accepted);
};

/** More hits than a text may have findings: the text is refused, however many more there are. */
export const isOverfull = (hits: readonly RuleHit[]): boolean => hits.length > MOST_FINDINGS_IN_TEXT;

/** Appends every hit of `compiled` in `text` from `offset` on, left to right, or until there are too many. */
export const searchRule = (
  compiled: CompiledRule,
  index: number,
  text: Uint8Array,
  hits: RuleHit[],
  offset = 0,
): void => {
  const regex = compiled.searcher();
  let at = offset;
  while (at <= text.length && !isOverfull(hits)) {
    const match = execAt(compiled, regex, text, at);
    if (match === null) return;
    at = takeMatch(compiled, index, text, match, hits);
  }
};
