/** Records as the figures of a chart: how the runs of each day ended, and which codes refused. */
import type { RunOutcome, RunSummary } from '../../contract/documents.js';
import { showDay } from './show-time.js';

export const OUTCOMES: readonly RunOutcome[] = ['sent', 'refused', 'provider_failed', 'host', 'unknown'];

export interface Day {
  /** `2026-11-30`, of the reader's zone. */
  readonly day: string;
  readonly by: Readonly<Record<RunOutcome, number>>;
}

/** Each of the last days, today included, those without a run too; runs of other days are left out. */
export const countDays = (runs: readonly RunSummary[], days: number, now: Date): readonly Day[] => {
  const counts = new Map<string, Record<RunOutcome, number>>();
  for (const run of runs) {
    const at = new Date(run.time);
    if (Number.isNaN(at.getTime())) continue;
    const day = counts.get(showDay(at)) ?? noRuns();
    day[run.outcome] += 1;
    counts.set(showDay(at), day);
  }
  return Array.from({ length: days }, (_, ago) => {
    // By the calendar, for a day may have 23 or 25 hours.
    const day = showDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - ago)));
    return { day, by: counts.get(day) ?? noRuns() };
  });
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
