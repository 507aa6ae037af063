import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownSpan } from '../../src/bundle/bundle-text.js';
import { mergeSpans } from '../../src/bundle/merge-spans.js';
import { anyTextWithSpans, spanOf } from '../support/made-texts.js';

const places = (spans: readonly KnownSpan[]): readonly string[] => spans.map(({ start, end }) => `${start}-${end}`);
const kindsOf = (...spans: KnownSpan[]): readonly string[] => mergeSpans(spans).map(({ kind }) => kind);

describe('mergeSpans', () => {
  it('makes one span of spans that overlap and leaves spans that touch', () => {
    expect(places(mergeSpans([spanOf(0, 4), spanOf(3, 8)]))).toEqual(['0-8']);
    expect(places(mergeSpans([spanOf(0, 4), spanOf(4, 8, { valueId: 1 })]))).toEqual(['0-4', '4-8']);
    expect(places(mergeSpans([spanOf(5, 9), spanOf(0, 9), spanOf(1, 2)]))).toEqual(['0-9']);
    expect(places(mergeSpans([spanOf(0, 4), spanOf(2, 6), spanOf(5, 9), spanOf(9, 10)]))).toEqual(['0-9', '9-10']);
    expect(mergeSpans([])).toEqual([]);
  });

  it('speaks with the span that says most', () => {
    const generic = { kind: 'token:generic_secret', ruleId: 'a' };
    const password = { kind: 'token:password', ruleId: 'b' };
    const known = { kind: 'token:forge', ruleId: 'z' };
    expect(kindsOf(spanOf(0, 20, generic), spanOf(3, 10, known))).toEqual(['token:forge']);
    expect(kindsOf(spanOf(0, 20, password), spanOf(3, 10, known))).toEqual(['token:forge']);
    expect(kindsOf(spanOf(0, 20, generic), spanOf(3, 10, password))).toEqual(['token:password']);
    expect(kindsOf(spanOf(0, 20, { kind: 'pem:key' }), spanOf(3, 10, known))).toEqual(['pem:key']);
    expect(kindsOf(spanOf(0, 20, { kind: 'net:ipv4', family: 'network' }), spanOf(3, 10, known))).toEqual([
      'token:forge',
    ]);
    expect(kindsOf(spanOf(0, 20, { ...known, severity: 'warn' }), spanOf(3, 10, generic))).toEqual([
      'token:generic_secret',
    ]);
  });

  it('keeps the line of its first byte', () => {
    expect(mergeSpans([spanOf(9, 30, { line: 3 }), spanOf(2, 10, { line: 2 })])[0]?.line).toBe(2);
  });

  it('covers exactly the bytes that were covered, in order, without overlap, whatever the order given', () => {
    fc.assert(
      fc.property(anyTextWithSpans(), ({ bytes, spans }) => {
        const merged = mergeSpans(spans);
        const covered = (all: readonly KnownSpan[]): readonly boolean[] =>
          Array.from(bytes, (_byte, at) => all.some(({ start, end }) => start <= at && at < end));
        expect(covered(merged)).toEqual(covered(spans));
        merged.forEach((span, index) => {
          expect(span.start).toBeGreaterThanOrEqual(merged[index - 1]?.end ?? 0);
        });
        expect(mergeSpans([...spans].reverse())).toEqual(merged);
        expect(mergeSpans(merged)).toEqual(merged);
      }),
    );
  });
});
