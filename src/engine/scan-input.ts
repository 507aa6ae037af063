/**
 * One input from bytes to findings: every rule over the text as it stands and over every view of it, each hit mapped to
 * the input's own bytes. A hit whose bytes and rule are known already is the same hit seen through another view.
 */
import type { Finding } from '../contract/finding.js';
import type { ScanOutcome, SecretValue } from '../contract/scan.js';
import { mayEcho } from './echo-eligibility.js';
import { lineCounter } from './line-counter.js';
import type { ProfileScanner } from './profile-scanner.js';

/** A text to scan with the way back to the input's bytes. */
interface Segment {
  readonly text: Uint8Array;
  readonly views: readonly string[];
  readonly toInput: (start: number, end: number) => { readonly start: number; readonly end: number };
}

interface Found extends Omit<Finding, 'line' | 'valueIndex'> {
  readonly value: SecretValue;
}

const scanSegment = (profile: ProfileScanner, segment: Segment, found: Map<string, Found>): void => {
  for (const hit of profile.scanner.findHits(segment.text)) {
    const rule = profile.rules[hit.rule]?.rule;
    if (rule === undefined) continue;
    const span = segment.toInput(hit.start, hit.end);
    const key = `${span.start}:${span.end}:${rule.id}`;
    if (found.has(key)) continue;
    found.set(key, {
      start: span.start,
      end: span.end,
      ruleId: rule.id,
      kind: rule.kind,
      family: rule.family,
      severity: rule.severity,
      views: segment.views,
      value: {
        bytes: segment.text.slice(hit.start, hit.end),
        echo: mayEcho(rule, segment.text, hit.start, hit.end),
      },
    });
  }
};

const byPlace = (a: Found, b: Found): number =>
  a.start - b.start || a.end - b.end || (a.ruleId < b.ruleId ? -1 : a.ruleId > b.ruleId ? 1 : 0);

/** Findings in the contract's order, each with its line and the index of its value; equal values share one. */
const settle = (text: Uint8Array, found: readonly Found[]): { findings: Finding[]; values: SecretValue[] } => {
  const lineOf = lineCounter(text);
  const values: SecretValue[] = [];
  const findings = [...found].sort(byPlace).map(({ value, ...rest }): Finding => {
    values.push(value);
    return { ...rest, line: lineOf(rest.start), valueIndex: values.length - 1 };
  });
  return { findings, values };
};

/**
 * @param ref returned as it came
 * @param text UTF-8 (bytes outside it are scanned too, but only as bytes); read, not kept
 */
export const scanInput = (ref: number, text: Uint8Array, profile: ProfileScanner): ScanOutcome => {
  const found = new Map<string, Found>();
  scanSegment(profile, { text, views: [], toInput: (start, end) => ({ start, end }) }, found);
  return { ref, ok: true, ...settle(text, [...found.values()]), scannedBytes: text.length };
};
