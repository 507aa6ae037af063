/**
 * Columns over time or buckets, stacked. The drawing is a canvas, which nobody can read but by eye, so it has a sentence
 * for a name and a table of its figures beneath.
 */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { showCount } from '../../contract/show-amount.js';
import { onColoursChange } from '../theme.js';
import { ScrollBox } from './scroll-box.js';
import { useWidth } from './use-width.js';

export interface Series {
  readonly name: string;
  /** A custom property that holds the colour. */
  readonly colour: `--${string}`;
  readonly counts: readonly number[];
}

interface BarChartWords {
  /** What a person would say who sees it. */
  readonly summary: string;
  /** One a column. */
  readonly labels: readonly string[];
  /** From the bottom up. */
  readonly series: readonly Series[];
  readonly labelName: string;
}

const HEIGHT_PIXELS = 200;
const LABEL_PIXELS = 60;

export const BarChart = ({ summary, labels, series, labelName }: BarChartWords) => {
  const { ref, width } = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = canvas.current;
    if (place === null || width === 0) return;
    let plot = draw(place, width, labels, series);
    const stop = onColoursChange(() => {
      plot.destroy();
      plot = draw(place, width, labels, series);
    });
    return () => {
      stop();
      plot.destroy();
    };
  }, [labels, series, width]);
  const shown = series.filter(({ counts }) => counts.some((count) => count > 0));
  return (
    <div class="chart" ref={ref}>
      {series.length > 1 && (
        <ul class="chart-legend" aria-hidden="true">
          {shown.map(({ name, colour }) => (
            <li key={name}>
              <span class="swatch" style={{ background: `var(${colour})` }} /> {name}
            </li>
          ))}
        </ul>
      )}
      <div role="img" aria-label={summary} ref={canvas} class="chart-canvas" />
      <details class="chart-table">
        <summary>Figures</summary>
        <ScrollBox class="table-scroll" label={`Figures: ${summary}`}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{labelName}</th>
                {shown.map(({ name }) => (
                  <th scope="col" class="number" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, at) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {shown.map(({ name, counts }) => (
                    <td class="number" key={name}>
                      {showCount(counts[at] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </details>
    </div>
  );
};

/** Stacks are drawn as sums, the highest first, so that each lower one covers what it holds of the one above. */
const draw = (place: HTMLElement, width: number, labels: readonly string[], series: readonly Series[]): uPlot => {
  const colours = getComputedStyle(document.documentElement);
  const colourOf = (name: string): string => colours.getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const sums = series.map((_, top) =>
    labels.map((_label, at) => series.slice(0, top + 1).reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)),
  );
  const paths = uPlot.paths.bars?.({ size: [0.72, 46], radius: 0.12 });
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(width / LABEL_PIXELS))));
  const options: uPlot.Options = {
    width,
    height: HEIGHT_PIXELS,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 12, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.08)] },
    },
    axes: [
      {
        stroke: colourOf('--ink-soft'),
        font,
        size: 28,
        grid: { show: false },
        ticks: { show: false },
        splits: labels.map((_, at) => at).filter((at) => at % every === 0),
        values: (_plot, splits) => splits.map((at) => axisLabel(labels[at] ?? '')),
      },
      {
        stroke: colourOf('--ink-soft'),
        font,
        size: 48,
        grid: { stroke: colourOf('--line'), width: 1 },
        ticks: { show: false },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000],
        values: (_plot, splits) => splits.map((count) => showCount(count)),
      },
    ],
    series: [
      {},
      ...[...series].reverse().map(({ name, colour }) => ({
        label: name,
        fill: colourOf(colour),
        width: 0,
        points: { show: false },
        ...(paths === undefined ? {} : { paths }),
      })),
    ],
  };
  return new uPlot(options, [labels.map((_, at) => at), ...sums.reverse()], place);
};

/** The year of a day goes without saying under a column. */
const axisLabel = (label: string): string => label.replace(/^\d{4}-(?=\d\d-\d\d$)/, '');
