/**
 * A benchmark as one page that needs nothing else: no asset, no script, no connection, and a policy under which only its
 * own style applies. Every text on it is escaped.
 */
import { createHash } from 'node:crypto';
import type { BenchDocument, MeasuredRepository } from '../app/bench/bench-document.js';
import { showBytes, showCount, showDuration, showNumber, showShare } from '../contract/show-amount.js';
import { type Bar, barChart } from './bench-chart.js';
import { measuredOnly, refusedOnly, showCapOutcome, showRatio } from './bench-table.js';
import { escapeHtml } from './escape-html.js';

const STYLE = `
:root{color-scheme:light dark;--ground:#fff;--text:#1c2024;--faint:#60646c;--line:#d9d9e0;--bad:#b3261e;--one:#0b57d0;--two:#8a5a00;--three:#5f6b7a}
@media (prefers-color-scheme:dark){:root{--ground:#111417;--text:#e6e8eb;--faint:#9ba1a6;--line:#33383d;--bad:#ff8a80;--one:#8ab4f8;--two:#ffca6a;--three:#9aa7b8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:80rem;padding:1.5rem;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0 0 .25rem}
p{margin:.25rem 0}
.faint{color:var(--faint)}
.bad{color:var(--bad)}
figure{margin:1.25rem 0 0}
figcaption{font-weight:600}
svg{display:block;width:100%;max-width:60rem;height:auto}
svg text{fill:var(--text);font:13px system-ui,sans-serif;dominant-baseline:middle}
svg .label{text-anchor:end}
.series-0{fill:var(--one)}
.series-1{fill:var(--two)}
.series-2{fill:var(--three)}
.key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}
.key-0{background:var(--one)}
.key-1{background:var(--two)}
.key-2{background:var(--three)}
.frame{overflow-x:auto;margin-top:1.25rem}
table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:13px/1.5 ui-monospace,monospace}
`;

const policy = (): string => {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
};

const speedBars = ({ repositories, compared }: BenchDocument): readonly Bar[] =>
  measuredOnly(repositories).flatMap((one): readonly Bar[] => {
    const speed = one.megabytes_per_second;
    const now = { label: one.name, parts: [{ value: speed, series: 0 }], text: `${speed.toFixed(0)} MB/s` };
    const before = compared?.repositories.find(({ name }) => name === one.name);
    if (before === undefined) return [now];
    const earlier = speed / before.speed_ratio;
    const text = `${earlier.toFixed(0)} MB/s`;
    return [now, { label: 'earlier', parts: [{ value: earlier, series: 2 }], text }];
  });

const timeBars = (measured: readonly MeasuredRepository[]): readonly Bar[] =>
  measured.flatMap(({ name, rounds }) =>
    rounds.map(({ wall_ms, plan_ms, scan_ms, seal_ms }, index) => ({
      label: `${name}, round ${index + 1}`,
      parts: [plan_ms, scan_ms, seal_ms].map((value, series) => ({ value, series })),
      text: showDuration(wall_ms),
    })),
  );

const kindBars = ({ blanked }: MeasuredRepository): readonly Bar[] =>
  Object.entries(blanked.by_kind).map(([kind, count]) => ({
    label: kind,
    parts: [{ value: count, series: 0 }],
    text: showCount(count),
  }));

const TIME_KEY =
  '<p class="faint"><span class="key key-0"></span>plan<span class="key key-1"></span>read and scan<span class="key key-2"></span>blank, scan again and seal</p>';

const HEADS = ['Repository', 'Items', 'Bytes', 'MB/s', 'Scanning', 'Threads', 'Peak memory', 'Blanked', 'Cap', 'Since'];

const rowOf = (one: MeasuredRepository, { compared }: BenchDocument): string => {
  const before = compared?.repositories.find(({ name }) => name === one.name);
  const since =
    before === undefined ? '' : `${showRatio(before.speed_ratio)}${before.same_bytes ? '' : ', other bytes'}`;
  const numbers = [
    showCount(one.items),
    showBytes(one.raw_bytes),
    one.megabytes_per_second.toFixed(0),
    showShare(one.scan_share, 1),
    showShare(one.threads_use, 1),
    showBytes(one.peak_rss_bytes),
    showCount(one.blanked.spans),
  ];
  return (
    `<tr><td><code>${escapeHtml(one.name)}</code></td>` +
    `${numbers.map((number) => `<td class="number">${number}</td>`).join('')}` +
    `<td>${escapeHtml(showCapOutcome(one))}</td><td class="number">${since}</td></tr>`
  );
};

/** The whole page. */
export const benchPage = (document: BenchDocument): string => {
  const { repositories, machine, threads, compared } = document;
  const measured = measuredOnly(repositories);
  const charts = [
    barChart('Speed, 10⁶ bytes a second', speedBars(document)),
    barChart('Time of each round', timeBars(measured)),
    TIME_KEY,
    ...measured.flatMap((one) =>
      one.blanked.spans === 0 ? [] : [barChart(`Blanked in ${one.name}, by kind`, kindBars(one))],
    ),
  ];
  const refused = refusedOnly(repositories).map(
    ({ name, code, message }) => `<p class="bad">refused (${code}): ${escapeHtml(`${name}: ${message}`)}</p>`,
  );
  const since =
    compared === undefined
      ? ''
      : `<p class="faint">Compared with coldseal ${escapeHtml(compared.coldseal)} at ${escapeHtml(compared.at)}${compared.same_machine ? '' : ', on another machine'}.</p>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>coldseal bench</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Benchmark of ${escapeHtml(document.at)}</h1>
<p>coldseal ${escapeHtml(document.coldseal)}, ${showNumber(threads, 'thread')}; ${escapeHtml(machine.processor)}, ${showNumber(machine.cores, 'core')}, ${showBytes(machine.memory_bytes)}, Node ${escapeHtml(machine.node)}.</p>
<p class="faint">Rules <code>${escapeHtml(document.rules)}</code>. Nothing was sent.</p>
${since}${refused.join('\n')}
${measured.length === 0 ? '' : charts.join('\n')}
<div class="frame" tabindex="0" role="region" aria-label="Figures">
<table>
<thead><tr>${HEADS.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${measured.map((one) => rowOf(one, document)).join('\n')}
</tbody>
</table>
</div>
</main>
</body>
</html>
`;
};
