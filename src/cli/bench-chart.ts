/**
 * Bars as SVG, made by code and without a script: text beside each bar says its figure, so that the chart can be read,
 * copied and printed. Colours come from the page's own style.
 */
import { escapeHtml } from './escape-html.js';

export interface Bar {
  readonly label: string;
  /** One after the other on one line; a bar of one part is a plain bar. */
  readonly parts: readonly { readonly value: number; readonly series: number }[];
  /** What stands behind the bar. */
  readonly text: string;
}

const WIDTH = 760;
const LABEL_WIDTH = 220;
const TEXT_WIDTH = 130;
const LINE_HEIGHT = 26;
const BAR_HEIGHT = 16;
const LONGEST_LABEL = 30;

const clipped = (label: string): string =>
  label.length <= LONGEST_LABEL ? label : `…${label.slice(label.length - LONGEST_LABEL + 1)}`;

const total = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

const barOf = (bar: Bar, line: number, scale: number): string => {
  const top = line * LINE_HEIGHT + (LINE_HEIGHT - BAR_HEIGHT) / 2;
  let left = LABEL_WIDTH;
  const parts = bar.parts.map(({ value, series }) => {
    const width = value * scale;
    const x = left;
    left += width;
    return `<rect class="series-${series}" x="${x.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}"/>`;
  });
  const middle = top + BAR_HEIGHT / 2;
  return (
    `<text class="label" x="${LABEL_WIDTH - 8}" y="${middle}">${escapeHtml(clipped(bar.label))}</text>` +
    `${parts.join('')}<text x="${(left + 6).toFixed(1)}" y="${middle}">${escapeHtml(bar.text)}</text>`
  );
};

/** @param title what the chart shows; it is also its text for who cannot see it */
export const barChart = (title: string, bars: readonly Bar[]): string => {
  const longest = Math.max(0, ...bars.map(total));
  const scale = longest === 0 ? 0 : (WIDTH - LABEL_WIDTH - TEXT_WIDTH) / longest;
  const height = bars.length * LINE_HEIGHT;
  const spoken = bars.map(({ label, text }) => `${label}: ${text}`).join('; ');
  return (
    `<figure><figcaption>${escapeHtml(title)}</figcaption>` +
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(`${title}. ${spoken}`)}">` +
    `${bars.map((bar, line) => barOf(bar, line, scale)).join('')}</svg></figure>`
  );
};
