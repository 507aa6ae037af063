/**
 * One page that needs nothing else: no asset, no connection, and a policy under which only its own style and script run.
 * Every text on it is escaped, and none of it is a value. Without a script it is still the whole table.
 */
import { createHash } from 'node:crypto';
import type { ReportFinding } from '../app/scan/scan-report.js';
import { showBytes, showCount, showNumber } from '../contract/show-amount.js';
import { VERSION } from '../contract/version.js';
import { escapeHtml } from './escape-html.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './report-page.js';
import type { ReportWriter, ScanSummary } from './report-writer.js';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = (): string =>
  `default-src 'none'; style-src ${hashOf(PAGE_STYLE)}; script-src ${hashOf(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'`;

const COLUMNS = [
  { head: 'File', type: 'text' },
  { head: 'Line', type: 'number' },
  { head: 'Column', type: 'number' },
  { head: 'Rule', type: 'text' },
  { head: 'Kind', type: 'text' },
  { head: 'Severity', type: 'text' },
  { head: 'Commit', type: 'text' },
  { head: 'Fingerprint', type: 'text' },
] as const;

const number = (value: number): string =>
  `<td class="number" data-value="${value}">${value === 0 ? 'name' : value}</td>`;

const rowOf = (finding: ReportFinding): string =>
  `<tr><td><code>${escapeHtml(finding.file)}</code></td>${number(finding.startLine)}${number(finding.startColumn)}` +
  `<td title="${escapeHtml(finding.description)}">${escapeHtml(finding.rule)}</td><td>${escapeHtml(finding.kind)}</td>` +
  `<td class="${finding.severity}">${finding.severity}</td><td><code>${finding.commit?.id.slice(0, 12) ?? ''}</code></td>` +
  `<td><code>${escapeHtml(finding.fingerprint ?? '')}</code></td></tr>\n`;

const countList = (title: string, counts: ReadonlyMap<string, number>): string => {
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const items = sorted.map(
    ([name, count]) =>
      `<li><button type="button" data-filter="${escapeHtml(name)}">${escapeHtml(name)}</button><span class="number">${showCount(count)}</span></li>`,
  );
  return `<section><h2>${title}</h2><ul>${items.join('')}</ul></section>`;
};

const unscannedList = ({ unscanned }: ScanSummary): string =>
  unscanned.length === 0
    ? ''
    : `<section><h2>Not scanned</h2><ul>${unscanned
        .map(
          ({ file, reason, detail }) =>
            `<li><code>${escapeHtml(file)}</code><span>${reason}: ${escapeHtml(detail)}</span></li>`,
        )
        .join('')}</ul></section>`;

const headRow = (): string =>
  COLUMNS.map(
    ({ head, type }) => `<th scope="col" data-type="${type}"><button type="button">${head}</button></th>`,
  ).join('');

export const htmlReport = (): ReportWriter => {
  const rows: string[] = [];
  const byRule = new Map<string, number>();
  const byFile = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  return {
    begin: () => '',
    files: (reports) => {
      for (const finding of reports.flatMap(({ findings }) => findings)) {
        rows.push(rowOf(finding));
        count(byRule, finding.rule);
        count(byFile, finding.file);
      }
      return '';
    },
    end: (summary) => {
      const { files, bytes, findings, filesWithFindings, refusal, rulesDigest } = summary;
      return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>coldseal scan: ${showNumber(findings, 'finding')}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>${showNumber(findings, 'finding')} in ${showNumber(filesWithFindings, 'file')}</h1>
<p>${showNumber(files, 'file')}, ${showBytes(bytes)} scanned; ${showCount(summary.unscanned.length)} not scanned.</p>
${refusal === null ? '' : `<p class="block">Incomplete (${refusal.code}): ${escapeHtml(refusal.message)}</p>\n`}<p class="faint">coldseal ${VERSION}, rules <code>${escapeHtml(rulesDigest)}</code>. Values are never shown; a fingerprint can be allowed under <code>coldseal.allow</code> of the machine file.</p>
<div class="counts">${countList('By rule', byRule)}${countList('By file', byFile)}${unscannedList(summary)}</div>
<label for="filter">Filter (press / to get here)</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false">
<p id="shown" class="faint" role="status"></p>
<div class="frame" tabindex="0" role="region" aria-label="Findings">
<table id="findings">
<thead><tr>${headRow()}</tr></thead>
<tbody>
${rows.join('')}</tbody>
</table>
</div>
</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
    },
  };
};
