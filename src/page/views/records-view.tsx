/** Every run on record, newest first, narrowed by what stands in the address: a filtered list can be kept as a link. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { RunSummary } from '../../contract/documents.js';
import { showCount, showNumber } from '../../contract/show-amount.js';
import { listRecords, type RecordFilters } from '../api/records.js';
import { Empty, Failed, Loading } from '../parts/notice.js';
import { RecordFilterBar } from '../parts/record-filter-bar.js';
import { RecordTable } from '../parts/record-table.js';
import { useRequest } from '../parts/use-request.js';
import { formatRoute } from '../route.js';

const PAGE_RUNS = 50;

export const RecordsView = ({ query }: { readonly query: Readonly<Record<string, string>> }) => {
  const filters = useMemo(() => filtersOf(query), [query]);
  const key = JSON.stringify(filters);
  const change = (next: RecordFilters) => {
    location.hash = formatRoute('records', null, { ...next });
  };
  return (
    <>
      <header class="view-head">
        <h1>Records</h1>
        <p class="quiet">What was sent, what was refused and why. Texts are never kept.</p>
      </header>
      <RecordFilterBar filters={filters} change={change} />
      <PagedRuns key={key} filters={filters} clear={() => change(filtersOf({}))} />
    </>
  );
};

/** Pages are reached one by one, so the way back is the list of those that were seen. */
const PagedRuns = ({ filters, clear }: { readonly filters: RecordFilters; readonly clear: () => void }) => {
  const [afters, setAfters] = useState<readonly (string | null)[]>([null]);
  const after = afters.at(-1) ?? null;
  const { state, again } = useRequest(
    useCallback((signal: AbortSignal) => listRecords(filters, PAGE_RUNS, after, signal), [filters, after]),
  );
  if (state.kind === 'loading') return <Loading what="records" />;
  if (state.kind === 'failed') return <Failed problem={state.problem} again={again} />;
  const { records, next, found } = state.value;
  if (records.length === 0 && afters.length === 1) return <NoRuns isFiltered={isFiltered(filters)} clear={clear} />;
  return (
    <>
      <RecordTable runs={records} />
      <Pager
        page={afters.length}
        runs={records}
        found={found}
        newer={afters.length > 1 ? () => setAfters(afters.slice(0, -1)) : null}
        older={next === null ? null : () => setAfters([...afters, next])}
        again={again}
      />
    </>
  );
};

const NoRuns = ({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) =>
  isFiltered ? (
    <Empty title="No record fits">
      <p>Take away a filter to see more.</p>
      <button type="button" class="button" onClick={clear}>
        Clear filters
      </button>
    </Empty>
  ) : (
    <Empty title="There is no record yet">
      <p>
        Every run leaves one. Try a <a href={formatRoute('plan')}>plan</a> here, or <code>coldseal review</code> in a
        repository.
      </p>
    </Empty>
  );

interface PagerWords {
  readonly page: number;
  readonly runs: readonly RunSummary[];
  readonly found: number;
  readonly newer: (() => void) | null;
  readonly older: (() => void) | null;
  readonly again: () => void;
}

const Pager = ({ page, runs, found, newer, older, again }: PagerWords) => (
  <nav class="pager" aria-label="Pages of records">
    <p class="quiet figures" role="status">
      Page {page}, {showCount(runs.length)} of {showNumber(found, 'run')}
    </p>
    <button type="button" class="button" onClick={again}>
      Reload
    </button>
    <button type="button" class="button" disabled={newer === null} onClick={() => newer?.()}>
      Newer
    </button>
    <button type="button" class="button" disabled={older === null} onClick={() => older?.()}>
      Older
    </button>
  </nav>
);

const filtersOf = (query: Readonly<Record<string, string>>): RecordFilters => ({
  q: query['q'] ?? '',
  kind: query['kind'] ?? '',
  outcome: query['outcome'] ?? '',
  code: query['code'] ?? '',
  from: query['from'] ?? '',
  to: query['to'] ?? '',
});

const isFiltered = (filters: RecordFilters): boolean => Object.values(filters).some((value) => value !== '');
