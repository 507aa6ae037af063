/**
 * One rule over one text, the plain way: RE2 from left to right, then the filters. Used to check rules against their own
 * examples; the scan engine finds the same spans faster.
 */
import type { Span } from '../contract/finding.js';
import type { Rule } from '../contract/rule.js';
import { compileFilters, type PassesFilters } from './compile-filters.js';
import { compilePattern } from './compile-pattern.js';
import { resumeAfter } from './resume-after.js';

/**
 * Compiles `rule` and returns the search. Throws `SCANNER_DEGRADED` when the pattern or a filter does not compile, naming
 * `owner`: the rule, and its file where an owner wrote it.
 */
export const findWithRule = (rule: Rule, owner = `rule "${rule.id}"`): ((text: Uint8Array) => readonly Span[]) => {
  const program = compilePattern(rule.pattern, owner);
  const passes: PassesFilters = compileFilters(rule.filters, owner);
  return (text) => {
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    const spans: Span[] = [];
    program.lastIndex = 0;
    for (;;) {
      const match = program.exec(bytes);
      if (match === null) return spans;
      const from = match.index;
      const to = program.lastIndex;
      const [start, end] = match.indices?.[rule.group] ?? [from, from];
      const accepted = end > start && passes(text, start, end);
      if (accepted) spans.push({ start, end });
      program.lastIndex = resumeAfter({ from, to, start }, accepted);
    }
  };
};
