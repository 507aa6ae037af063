/** Charts from `/metrics`: how long scans and providers took, what was blanked by family, and what the process holds. */
import { useMemo } from 'preact/hooks';
import { showBytes, showCount, showDuration } from '../../contract/show-amount.js';
import { boundOf, countsBy, type Histogram, histogramOf, type Sample, totalOf } from '../show/read-metrics.js';
import { BarChart, type Series } from './bar-chart.js';
import { BarList } from './bar-list.js';
import { Tile } from './run-panels.js';

export const MetricPanels = ({ samples }: { readonly samples: readonly Sample[] }) => {
  const families = countsBy(samples, 'coldseal_blanked_spans_total', 'family');
  return (
    <>
      <h2 class="section-title">From the metrics</h2>
      <ProcessTiles samples={samples} />
      <div class="panels">
        <TimePanel id="scan" title="Scan time" samples={samples} name="coldseal_scan_duration_seconds" />
        <TimePanel id="provider" title="Provider time" samples={samples} name="coldseal_provider_duration_seconds" />
        <TimePanel
          id="token"
          title="Time to first token"
          samples={samples}
          name="coldseal_time_to_first_token_seconds"
        />
        <section class="panel" aria-labelledby="family-title">
          <header class="panel-head">
            <h2 id="family-title">Blanked spans by family</h2>
          </header>
          {families.length === 0 ? <p class="quiet">Nothing was blanked yet.</p> : <BarList rows={families} />}
        </section>
      </div>
    </>
  );
};

const ProcessTiles = ({ samples }: { readonly samples: readonly Sample[] }) => {
  const total = (name: string): number => totalOf(samples, name) ?? 0;
  return (
    <dl class="figures-row">
      <Tile name="Scanned" value={showBytes(total('coldseal_scanned_bytes_total'))} />
      <Tile name="Threads busy" value={`${total('coldseal_pool_threads_busy')} of ${total('coldseal_pool_threads')}`} />
      <Tile name="Waiting" value={showCount(total('coldseal_queue_depth'))} />
      <Tile name="In flight" value={showBytes(total('coldseal_in_flight_bytes'))} />
      <Tile name="Tokens" value={showCount(total('coldseal_tokens_total'))} />
    </dl>
  );
};

interface TimePanelWords {
  readonly id: string;
  readonly title: string;
  readonly samples: readonly Sample[];
  readonly name: string;
}

const TimePanel = ({ id, title, samples, name }: TimePanelWords) => {
  const histogram = useMemo(() => histogramOf(samples, name), [samples, name]);
  const drawn = useMemo(() => (histogram === null ? null : columnsOf(histogram)), [histogram]);
  return (
    <section class="panel" aria-labelledby={`${id}-title`}>
      <header class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {histogram !== null && (
          <p class="quiet figures">
            half within {showBound(boundOf(histogram, 0.5))}, 95 % within {showBound(boundOf(histogram, 0.95))}
          </p>
        )}
      </header>
      {histogram === null || drawn === null ? (
        <p class="quiet">Nothing was timed yet.</p>
      ) : (
        <BarChart
          summary={`${title}: ${showCount(histogram.count)} runs, ${showDuration((histogram.sum / histogram.count) * 1000)} on average`}
          labels={drawn.labels}
          series={drawn.series}
          labelName="Up to"
        />
      )}
    </section>
  );
};

const showBound = (seconds: number): string =>
  Number.isFinite(seconds) ? shortDuration(seconds) : 'longer than every bucket';

/** Bucket bounds are round, so they are shown without places. */
const shortDuration = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;

/** Empty buckets at both ends say nothing and are left out. */
const columnsOf = ({
  buckets,
}: Histogram): { readonly labels: readonly string[]; readonly series: readonly Series[] } => {
  const first = buckets.findIndex(({ count }) => count > 0);
  const last = buckets.findLastIndex(({ count }) => count > 0);
  const shown = buckets.slice(Math.max(0, first - 1), last + 2);
  return {
    labels: shown.map(({ upTo }) => (Number.isFinite(upTo) ? shortDuration(upTo) : 'more')),
    series: [{ name: 'Runs', colour: '--accent', counts: shown.map(({ count }) => count) }],
  };
};
