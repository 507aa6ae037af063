/** Figures: from the records what happened on which day and which codes refused, from the metrics how long it took. */
import { useCallback, useState } from 'preact/hooks';
import type { RunSummary } from '../../contract/documents.js';
import { listRecords, type RecordList, readMetricsText } from '../api/records.js';
import { MetricPanels } from '../parts/metric-panels.js';
import { Failed, Loading } from '../parts/notice.js';
import { RunPanels } from '../parts/run-panels.js';
import { useRequest } from '../parts/use-request.js';
import { readMetrics } from '../show/read-metrics.js';
import { showDay } from '../show/show-time.js';

const SPANS = [7, 30, 90] as const;
const PAGE_RUNS = 500;
const MOST_PAGES = 10;

export const ChartsView = () => {
  const [days, setDays] = useState<number>(30);
  const runs = useRequest(useCallback((signal: AbortSignal) => readRuns(days, signal), [days]));
  const metrics = useRequest(readSamples);
  return (
    <>
      <header class="view-head">
        <h1>Charts</h1>
        <label class="field field-inline">
          <span class="field-name">Records of the last</span>
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
      </header>
      {runs.state.kind === 'loading' && <Loading what="records" />}
      {runs.state.kind === 'failed' && <Failed problem={runs.state.problem} again={runs.again} />}
      {runs.state.kind === 'ready' && <RunPanels days={days} {...runs.state.value} />}
      {metrics.state.kind === 'loading' && <Loading what="metrics" />}
      {metrics.state.kind === 'failed' && <Failed problem={metrics.state.problem} again={metrics.again} />}
      {metrics.state.kind === 'ready' && <MetricPanels samples={metrics.state.value} />}
    </>
  );
};

const readSamples = async (signal: AbortSignal) => readMetrics(await readMetricsText(signal));

interface ReadRuns {
  readonly runs: readonly RunSummary[];
  /** There are older ones in this time that were not read. */
  readonly isCut: boolean;
}

const readRuns = async (days: number, signal: AbortSignal): Promise<ReadRuns> => {
  const now = new Date();
  const from = showDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1)));
  const filters = { q: '', kind: '', outcome: '', code: '', from, to: '' };
  const runs: RunSummary[] = [];
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { records, next }: RecordList = await listRecords(filters, PAGE_RUNS, after, signal);
    runs.push(...records);
    if (next === null) return { runs, isCut: false };
    after = next;
  }
  return { runs, isCut: true };
};
