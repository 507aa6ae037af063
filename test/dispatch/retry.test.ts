import { describe, expect, it } from 'vitest';
import { namedWaitMs, waitBeforeRetry } from '../../src/dispatch/retry.js';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

describe('the wait that an answer names', () => {
  it.each([
    [{}, null],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': ' 0.25 ' }, 250],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after-ms': '1200', 'retry-after': '9' }, 1200],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
    [{ 'retry-after': ['4', '5'] }, 4000],
  ])('%j is %s ms', (headers, waitMs) => {
    expect(namedWaitMs(headers, NOW_MS)).toBe(waitMs);
  });
});

describe('trying again', () => {
  const long = 1_000_000;
  it.each([
    ['a final end', { kind: 'final' }, 1, long, null],
    ['before the body', { kind: 'before-body' }, 1, long, 5000],
    ['before the body, second time', { kind: 'before-body' }, 2, long, 5000],
    ['before the body, third time', { kind: 'before-body' }, 3, long, null],
    ['turned away with a time', { kind: 'turned-away', waitMs: 700 }, 1, long, 700],
    ['turned away without a time', { kind: 'turned-away', waitMs: null }, 1, long, 5000],
    ['turned away, third time', { kind: 'turned-away', waitMs: 700 }, 3, long, null],
    ['a wait as long as what is left', { kind: 'turned-away', waitMs: 700 }, 1, 700, null],
    ['a wait shorter than what is left', { kind: 'turned-away', waitMs: 700 }, 1, 701, 700],
  ] as const)('%s', (_title, end, attempt, leftMs, waitMs) => {
    expect(waitBeforeRetry(end, attempt, leftMs, () => 0)).toBe(waitMs);
  });

  it('spreads the wait that nobody named by up to a tenth, and leaves a named one as it is', () => {
    expect(waitBeforeRetry({ kind: 'before-body' }, 1, long, () => 0.999)).toBe(5500);
    expect(waitBeforeRetry({ kind: 'turned-away', waitMs: 700 }, 1, long, () => 0.999)).toBe(700);
  });
});
