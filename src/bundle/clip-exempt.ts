/**
 * Exemption by position: what stands in a line this program composed (a receipt, a hash) is not blanked; the part of a
 * span outside such a line is.
 */
import type { Span } from '../contract/finding.js';

/** `spans` in any order, `exempt` sorted and not overlapping. Spans wholly inside an exempt range vanish. */
export const clipExempt = <S extends Span>(spans: readonly S[], exempt: readonly Span[]): readonly S[] =>
  exempt.length === 0 ? spans : spans.flatMap((span) => outside(span, exempt));

const outside = <S extends Span>(span: S, exempt: readonly Span[]): readonly S[] => {
  const kept: S[] = [];
  let start = span.start;
  for (const range of exempt) {
    if (range.end <= start) continue;
    if (range.start >= span.end) break;
    if (range.start > start) kept.push({ ...span, start, end: range.start });
    start = range.end;
  }
  if (start < span.end) kept.push({ ...span, start });
  return kept;
};
