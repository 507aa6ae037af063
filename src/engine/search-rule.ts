/**
 * One rule over one whole text with nothing but RE2. It defines what a rule finds: the fast way must answer the same,
 * and falls back to this for a pattern it cannot analyse.
 */
import type RE2 from 're2';
import type { CompiledRule } from './compiled-rule.js';
import { type RuleHit, resumeAfter } from './rule-hit.js';

export interface GroupSpan {
  readonly from: number;
  readonly to: number;
  /** The value's group; both -1 when the group took no part in the match. */
  readonly start: number;
  readonly end: number;
}

/** Runs `regex` from `offset` and tells the match and the group's span; null without a match. */
export const execAt = (regex: RE2, text: Uint8Array, offset: number, group: number): GroupSpan | null => {
  regex.lastIndex = offset;
  const indices = regex.exec(text)?.indices;
  const whole = indices?.[0];
  if (indices === undefined || whole === undefined) return null;
  const value = indices[group];
  return { from: whole[0], to: whole[1], start: value?.[0] ?? -1, end: value?.[1] ?? -1 };
};

/** Appends every hit of `compiled` in `text`, left to right. */
export const searchRule = (compiled: CompiledRule, index: number, text: Uint8Array, hits: RuleHit[]): void => {
  const regex = compiled.searcher();
  for (let offset = 0; offset <= text.length; ) {
    const match = execAt(regex, text, offset, compiled.rule.group);
    if (match === null) return;
    const accepted = match.end > match.start && compiled.accepts(text, match.start, match.end);
    if (accepted) hits.push({ rule: index, start: match.start, end: match.end });
    offset = resumeAfter(match.from, match.to, match.start, accepted);
  }
};
