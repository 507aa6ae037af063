import { expect, it } from 'vitest';
import type { RunOutcome, RunSummary } from '../../../src/contract/documents.js';
import { countCodes, countDays } from '../../../src/page/show/count-runs.js';

const runAt = (time: Date, outcome: RunOutcome, code: RunSummary['code'] = null): RunSummary => ({
  id: 'rec-x',
  time: time.toISOString(),
  verb: 'review',
  outcome,
  code,
  agent: null,
  kind: null,
  project: null,
  provider: null,
  model: null,
  items: null,
  bytes: null,
  blanked: null,
  attempts: 1,
});

it('runs are counted by day of the reader’s own zone, days without one included', () => {
  const runs = [
    runAt(new Date(2026, 2, 30, 0, 0, 1), 'sent'),
    runAt(new Date(2026, 2, 30, 23, 59, 59), 'refused'),
    runAt(new Date(2026, 2, 28, 12), 'sent'),
    runAt(new Date(2026, 1, 1, 12), 'sent'),
  ];
  const days = countDays(runs, 4, new Date(2026, 2, 30, 18));
  expect(days.map(({ day, by }) => [day, by.sent, by.refused])).toEqual([
    ['2026-03-27', 0, 0],
    ['2026-03-28', 1, 0],
    ['2026-03-29', 0, 0],
    ['2026-03-30', 1, 1],
  ]);
});

it('codes are counted, the most frequent first', () => {
  const now = new Date();
  const runs = [
    runAt(now, 'refused', 'OVER_CAP'),
    runAt(now, 'refused', 'NO_RANGE'),
    runAt(now, 'refused', 'OVER_CAP'),
  ];
  expect(countCodes([...runs, runAt(now, 'sent')])).toEqual([
    { word: 'OVER_CAP', count: 2 },
    { word: 'NO_RANGE', count: 1 },
  ]);
});
