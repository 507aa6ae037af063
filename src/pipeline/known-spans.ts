/**
 * From what the scanner heard in a text to the spans that are blanked in it.
 *
 * A span is widened to whole UTF-8 characters (what is sent is text) and loses what lies in an exempt line.
 */
import type { BundleText, KnownSpan } from '../bundle/bundle-text.js';
import { clipExempt } from '../bundle/clip-exempt.js';
import { mergeSpans } from '../bundle/merge-spans.js';
import type { Span } from '../contract/finding.js';
import type { SecretValue } from '../contract/scan.js';
import type { Heard } from './scan-texts.js';

/** One span a finding, unmerged, in the scanner's order. `idOf` gives equal values one id. */
export const spansHeard = (heard: Heard, idOf: (value: SecretValue) => number): readonly KnownSpan[] =>
  heard.findings.flatMap(({ start, end, kind, family, severity, ruleId, line, valueIndex }) => {
    const value = heard.values[valueIndex];
    return value === undefined ? [] : [{ start, end, kind, family, severity, ruleId, line, valueId: idOf(value) }];
  });

/** The text with `found` added to the spans it has. */
export const withSpans = (text: BundleText, found: readonly KnownSpan[]): BundleText => {
  if (found.length === 0) return text;
  const { bytes } = text;
  const whole = found.map((span) => ({ ...span, ...wholeCharacters(span, bytes) }));
  return { ...text, bytes, spans: mergeSpans([...text.spans, ...clipExempt(whole, text.exempt)]) };
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const wholeCharacters = ({ start, end }: Span, bytes: Uint8Array): Span => {
  let from = start;
  let to = end;
  while (from > 0 && isContinuation(bytes[from])) from -= 1;
  while (to < bytes.length && isContinuation(bytes[to])) to += 1;
  return { start: from, end: to };
};
