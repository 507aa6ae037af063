/**
 * From what the scanner heard in a text to the spans that are blanked in it.
 *
 * A span is widened to whole UTF-8 characters (what is sent is text) and loses what lies in an exempt line.
 */
import type { BundleText, KnownSpan } from '../bundle/bundle-text.js';
import { clipExempt } from '../bundle/clip-exempt.js';
import { mergeSpans } from '../bundle/merge-spans.js';
import type { SecretValue } from '../contract/scan.js';
import type { Heard } from './scan-texts.js';

/** One span a finding, unmerged, in the scanner's order. `idOf` gives equal values one id. */
export const spansHeard = (heard: Heard, idOf: (value: SecretValue) => number): readonly KnownSpan[] => {
  // A value that stands a hundred thousand times is asked for once.
  const ids = new Map<number, number>();
  const spans: KnownSpan[] = [];
  for (const { start, end, kind, family, severity, ruleId, line, valueIndex } of heard.findings) {
    const value = heard.values[valueIndex];
    if (value === undefined) continue;
    const valueId = ids.get(valueIndex) ?? idOf(value);
    ids.set(valueIndex, valueId);
    spans.push({ start, end, kind, family, severity, ruleId, line, valueId });
  }
  return spans;
};

/** The text with `found` added to the spans it has. */
export const withSpans = (text: BundleText, found: readonly KnownSpan[]): BundleText => {
  if (found.length === 0) return text;
  const { bytes } = text;
  const whole = found.map((span) => wholeCharacters(span, bytes));
  return { ...text, bytes, spans: mergeSpans([...text.spans, ...clipExempt(whole, text.exempt)]) };
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The span itself where it is whole: there may be hundreds of thousands. */
const wholeCharacters = (span: KnownSpan, bytes: Uint8Array): KnownSpan => {
  let from = span.start;
  let to = span.end;
  while (from > 0 && isContinuation(bytes[from])) from -= 1;
  while (to < bytes.length && isContinuation(bytes[to])) to += 1;
  return from === span.start && to === span.end ? span : { ...span, start: from, end: to };
};
