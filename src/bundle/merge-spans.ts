/**
 * One merged set of spans: overlapping ones become one, touching ones stay as they are.
 *
 * A merged span speaks with one voice, that of the span that says most: blocking before warning, a secret before other
 * families, a kind named by its format before one named by its place and that before a generic one, the longer, then the
 * earlier, then the rule's id. So the token in `password = ...` is named as that token, and a key file is named as a whole
 * and not by a line of it.
 */
import type { Family } from '../contract/finding.js';
import type { KnownSpan } from './bundle-text.js';

const FAMILY_ORDER: Readonly<Record<Family, number>> = { secret: 0, private: 1, identity: 2, harness: 3, network: 4 };

/** 0: the value's own format is known; 1: only where it stands; 2: neither. */
const vagueness = ({ kind }: KnownSpan): number =>
  kind.startsWith('token:generic') ? 2 : /(?:password|cookie|url_token|basic_auth)$/.test(kind) ? 1 : 0;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Negative when `a` says more than `b`; a total order over spans that differ. */
export const compareVoice = (a: KnownSpan, b: KnownSpan): number =>
  Number(a.severity === 'warn') - Number(b.severity === 'warn') ||
  FAMILY_ORDER[a.family] - FAMILY_ORDER[b.family] ||
  vagueness(a) - vagueness(b) ||
  b.end - b.start - (a.end - a.start) ||
  a.start - b.start ||
  compareText(a.ruleId, b.ruleId) ||
  compareText(a.kind, b.kind) ||
  a.valueId - b.valueId;

/** Spans in any order in, a sorted set without overlaps out. Every byte of every span given is in the set, no other is. */
export const mergeSpans = (spans: readonly KnownSpan[]): readonly KnownSpan[] => {
  const sorted = [...spans].sort((a, b) => a.start - b.start || a.end - b.end || compareVoice(a, b));
  // In place: the group that ends at `kept` speaks through its first span and the one that says most.
  let kept = 0;
  let first: KnownSpan | null = null;
  let voice: KnownSpan | null = null;
  let end = -1;
  const close = (): void => {
    if (first === null || voice === null) return;
    sorted[kept] = unite(first, voice, end);
    kept += 1;
  };
  for (const span of sorted) {
    if (first !== null && voice !== null && span.start < end) {
      end = Math.max(end, span.end);
      if (compareVoice(span, voice) < 0) voice = span;
      continue;
    }
    close();
    first = span;
    voice = span;
    end = span.end;
  }
  close();
  sorted.length = kept;
  return sorted;
};

/** A span on its own stays the object it is. */
const unite = (first: KnownSpan, voice: KnownSpan, end: number): KnownSpan =>
  first === voice && voice.end === end ? voice : { ...voice, start: first.start, end, line: first.line };
