/** From the spans of a settled text to what a report says of them. The value is looked at here and goes no further. */
import type { KnownSpan } from '../../bundle/bundle-text.js';
import { isNumbered } from '../../bundle/bundle-text.js';
import { locateSpans } from './locate-spans.js';
import type { ReportFacts } from './report-facts.js';
import type { CommitNote, ReportFinding } from './scan-report.js';
import type { SettledText } from './settle-texts.js';

export interface FindingPlace {
  readonly file: string;
  /** The text is the file's name. */
  readonly isName: boolean;
  readonly commit: CommitNote | null;
}

/** Bits a byte, two digits. */
const entropyOf = (value: Uint8Array): number => {
  const counts = new Map<number, number>();
  for (const byte of value) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return Math.round(bits * 100) / 100;
};

/** Most findings have none: one empty list is enough for all of them. */
const NO_OTHERS: readonly string[] = [];

const IN_NAME = { startLine: 0, endLine: 0, startColumn: 0, endColumn: 0, startUnit: 0, endUnit: 0 } as const;

export const reportFindings = (
  facts: ReportFacts,
  { text, heard, valueBehind }: Extract<SettledText, { ok: true }>,
  { file, isName, commit }: FindingPlace,
): readonly ReportFinding[] => {
  if (text.spans.length === 0) return [];
  const locations = locateSpans(text.bytes, text.spans);
  // A value that stands in the text a hundred thousand times is hashed once: each hash holds memory until it is collected.
  const prints = new Map<string, Map<number, string | null>>();
  const printOf = ({ ruleId, valueId }: KnownSpan): string | null => {
    const own = prints.get(ruleId) ?? new Map<number, string | null>();
    const known = own.get(valueId);
    if (known !== undefined) return known;
    const value = valueBehind(valueId);
    const print = value === undefined ? null : facts.fingerprint(ruleId, value);
    prints.set(ruleId, own.set(valueId, print));
    return print;
  };
  let from = 0;
  const sorted = [...heard].sort((a, b) => a.start - b.start || a.end - b.end);
  const entropies = new Map<number, number>();
  const entropyBehind = ({ kind, valueId }: KnownSpan): number | null => {
    const value = isNumbered(kind) ? valueBehind(valueId) : undefined;
    if (value === undefined) return null;
    const entropy = entropies.get(valueId) ?? entropyOf(value);
    entropies.set(valueId, entropy);
    return entropy;
  };
  return text.spans.map((span, index) => {
    const fingerprint = printOf(span);
    let others = NO_OTHERS;
    // Spans that were united into this one lie inside it.
    while (from < sorted.length && (sorted[from]?.start ?? 0) < span.end) {
      const print = printOf(sorted[from] ?? span);
      if (print !== null && print !== fingerprint && !others.includes(print)) others = [...others, print];
      from += 1;
    }
    const at = isName ? IN_NAME : (locations[index] ?? IN_NAME);
    // Member by member: an object that begins as a copy and is added to costs V8 ten times the memory.
    return {
      startLine: at.startLine,
      endLine: at.endLine,
      startColumn: at.startColumn,
      endColumn: at.endColumn,
      startUnit: at.startUnit,
      endUnit: at.endUnit,
      file,
      commit,
      rule: span.ruleId,
      kind: span.kind,
      severity: span.severity,
      description: facts.describe(span.ruleId, span.kind),
      place: isName ? null : { start: span.start, end: span.end },
      fingerprint,
      otherFingerprints: others,
      entropy: entropyBehind(span),
    };
  });
};
