/** Charts from the records: runs a day by how they ended, and the codes that refused or failed. */
import { useMemo } from 'preact/hooks';
import { CODES, isCode } from '../../contract/codes.js';
import type { RunSummary } from '../../contract/documents.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import { formatRoute } from '../route.js';
import { countCodes, countDays, OUTCOMES } from '../show/count-runs.js';
import { BarChart, type Series } from './bar-chart.js';
import { BarList } from './bar-list.js';
import { Empty } from './notice.js';
import { OUTCOME_WORDS } from './outcome-mark.js';

interface RunPanelsWords {
  readonly runs: readonly RunSummary[];
  readonly days: number;
  readonly isCut: boolean;
}

const COLOURS = {
  sent: '--accent',
  refused: '--chart-refused',
  provider_failed: '--chart-failed',
  host: '--chart-host',
  unknown: '--chart-unknown',
} as const;

export const RunPanels = ({ runs, days, isCut }: RunPanelsWords) => {
  const { labels, series } = useMemo(() => seriesOf(runs, days), [runs, days]);
  const codes = useMemo(() => countCodes(runs), [runs]);
  if (runs.length === 0) {
    return (
      <Empty title="No run in this time">
        <p>Choose a longer time, or make a run: every one leaves a record.</p>
      </Empty>
    );
  }
  return (
    <>
      <Tiles runs={runs} />
      <div class="panels">
        <section class="panel" aria-labelledby="days-title">
          <header class="panel-head">
            <h2 id="days-title">Bundles a day</h2>
            {isCut && <p class="quiet">The newest {showCount(runs.length)} runs; older ones are left out.</p>}
          </header>
          <BarChart
            summary={`Runs a day over ${labels.length} days: ${showCount(runs.length)} in all`}
            labels={labels}
            series={series}
            labelName="Day"
          />
        </section>
        <section class="panel" aria-labelledby="codes-title">
          <header class="panel-head">
            <h2 id="codes-title">Refusals and failures by code</h2>
          </header>
          {codes.length === 0 ? (
            <p class="quiet">No run was refused and no provider failed.</p>
          ) : (
            <BarList
              rows={codes.map(({ word, count }) => ({
                word,
                count,
                href: formatRoute('records', null, { code: word }),
                ...(isCode(word) ? { hint: CODES[word].meaning } : {}),
              }))}
            />
          )}
        </section>
      </div>
    </>
  );
};

const seriesOf = (runs: readonly RunSummary[], days: number) => {
  const counted = countDays(runs, days, new Date());
  const series: readonly Series[] = OUTCOMES.map((outcome) => ({
    name: OUTCOME_WORDS[outcome] ?? outcome,
    colour: COLOURS[outcome],
    counts: counted.map(({ by }) => by[outcome]),
  }));
  return { labels: counted.map(({ day }) => day), series };
};

const Tiles = ({ runs }: { readonly runs: readonly RunSummary[] }) => {
  const sent = runs.filter(({ outcome }) => outcome === 'sent');
  const sum = (of: (run: RunSummary) => number | null): number =>
    sent.reduce((total, run) => total + (of(run) ?? 0), 0);
  return (
    <dl class="figures-row">
      <Tile name="Runs" value={showCount(runs.length)} />
      <Tile name="Sent" value={showCount(sent.length)} />
      <Tile name="Refused" value={showCount(runs.filter(({ outcome }) => outcome === 'refused').length)} />
      <Tile name="Left this machine" value={showBytes(sum(({ bytes }) => bytes))} />
      <Tile name="Blanked in them" value={`${showCount(sum(({ blanked }) => blanked))} spans`} />
    </dl>
  );
};

export const Tile = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
