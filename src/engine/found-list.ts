/**
 * What was found in one input. An input may hold hundreds of thousands of findings, mostly of a few values again and
 * again, and all of it travels to another thread: a finding is one object from hit to answer, equal values are kept once,
 * and the bytes of all values lie in one piece of memory that is the answer's own.
 */
import type { Finding, Span } from '../contract/finding.js';
import { MOST_FINDINGS_IN_TEXT } from '../contract/item-bounds.js';
import type { Rule } from '../contract/rule.js';
import type { SecretValue } from '../contract/scan.js';
import { lineCounter } from './line-counter.js';

/** Where a finding's value stands: `[start, end)` of `text`, which is read, not kept. */
export interface ValuePlace extends Span {
  readonly text: Uint8Array;
  readonly echo: boolean;
}

export interface FoundList {
  /** More was found than one text may have: it is refused, and nothing more is noted. */
  readonly isFull: boolean;
  /**
   * Notes a finding at `span` of the input. Through a view (`views` not empty) it is left out where the same rule found
   * the same bytes before; of hits in the input itself none repeats another.
   */
  note(
    rule: Pick<Rule, 'id' | 'kind' | 'family' | 'severity'>,
    span: Span,
    views: readonly string[],
    at: ValuePlace,
  ): void;
  /** Findings in the contract's order, each with its line and its value. Called once, at the end. */
  settle(input: Uint8Array): { readonly findings: readonly Finding[]; readonly values: readonly SecretValue[] };
}

type Found = { -readonly [member in keyof Finding]: Finding[member] };

const placeOf = ({ start, end }: Span, ruleId: string): string => `${start}:${end}:${ruleId}`;

const byPlace = (a: Finding, b: Finding): number =>
  a.start - b.start || a.end - b.end || (a.ruleId < b.ruleId ? -1 : a.ruleId > b.ruleId ? 1 : 0);

/** A value's bytes, one character a byte, behind a sign for whether it echoes. */
const keyOf = ({ text, start, end, echo }: ValuePlace): string => {
  const bytes = Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('latin1');
  return echo ? `+${bytes}` : `-${bytes}`;
};

const valuesOf = (keys: readonly string[]): SecretValue[] => {
  const memory = Buffer.from(new ArrayBuffer(keys.reduce((sum, { length }) => sum + length - 1, 0)));
  let at = 0;
  return keys.map((key) => {
    const start = at;
    at += memory.write(key.slice(1), start, 'latin1');
    return { bytes: new Uint8Array(memory.buffer, start, at - start), echo: key.startsWith('+') };
  });
};

export const openFoundList = (most: number = MOST_FINDINGS_IN_TEXT): FoundList => {
  const found: Found[] = [];
  const values = new Map<string, number>();
  /** Places by rule, from the first finding through a view on. */
  let known: Set<string> | null = null;
  let isFull = false;

  const isKnown = (span: Span, ruleId: string): boolean => {
    known ??= new Set(found.map((one) => placeOf(one, one.ruleId)));
    const place = placeOf(span, ruleId);
    if (known.has(place)) return true;
    known.add(place);
    return false;
  };

  return {
    get isFull() {
      return isFull;
    },
    note: ({ id, kind, family, severity }, { start, end }, views, at) => {
      if (isFull || (views.length > 0 && isKnown({ start, end }, id))) return;
      if (found.length === most) {
        isFull = true;
        return;
      }
      const key = keyOf(at);
      const valueIndex = values.get(key) ?? values.size;
      if (valueIndex === values.size) values.set(key, valueIndex);
      found.push({ start, end, ruleId: id, kind, family, severity, line: 0, valueIndex, views });
    },
    settle: (input) => {
      const lineOf = lineCounter(input);
      found.sort(byPlace);
      for (const one of found) one.line = lineOf(one.start);
      return { findings: found, values: valuesOf([...values.keys()]) };
    },
  };
};
