/** Records as the figures of a chart: how the runs of each day ended, and which codes refused. */
import type { RunOutcome, RunSummary } from '../api/shapes.js';
import { showDay } from './show-time.js';

export const OUTCOMES: readonly RunOutcome[] = ['sent', 'refused', 'provider_failed', 'host', 'unknown'];

export interface Day {
  /** `2026-11-30`, of the reader's zone. */
  readonly day: string;
  /** Local midnight, in seconds, for a time axis. */
  readonly startSeconds: number;
  readonly total: number;
  readonly by: Readonly<Record<RunOutcome, number>>;
}

/** Every day from the first to the last, those without a run included. At most `mostDays`, the newest. */
export const countDays = (runs: readonly RunSummary[], mostDays: number): readonly Day[] => {
  const counts = new Map<string, Record<RunOutcome, number>>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    const at = new Date(run.time);
    if (Number.isNaN(at.getTime())) continue;
    first = Math.min(first, at.getTime());
    last = Math.max(last, at.getTime());
    const day = counts.get(showDay(at)) ?? noRuns();
    day[run.outcome] += 1;
    counts.set(showDay(at), day);
  }
  if (counts.size === 0) return [];
  const days: Day[] = [];
  const begin = midnight(new Date(first));
  for (let at = midnight(new Date(last)); at >= begin && days.length < mostDays; at = dayBefore(at)) {
    const by = counts.get(showDay(at)) ?? noRuns();
    const total = OUTCOMES.reduce((sum, outcome) => sum + by[outcome], 0);
    days.push({ day: showDay(at), startSeconds: at.getTime() / 1000, total, by });
  }
  return days.reverse();
};

/** Codes of the runs that were refused or failed, most frequent first. */
export const countCodes = (
  runs: readonly RunSummary[],
): readonly { readonly word: string; readonly count: number }[] => {
  const counts = new Map<string, number>();
  for (const { code } of runs) if (code !== null) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
};

const noRuns = (): Record<RunOutcome, number> => ({ sent: 0, refused: 0, provider_failed: 0, host: 0, unknown: 0 });
const midnight = (at: Date): Date => new Date(at.getFullYear(), at.getMonth(), at.getDate());
/** By the calendar, for a day may have 23 or 25 hours. */
const dayBefore = (at: Date): Date => new Date(at.getFullYear(), at.getMonth(), at.getDate() - 1);
