/** A line a finding, as ripgrep and compilers write places: `file:line:column: rule kind`. */
import type { ReportFinding } from '../app/scan/scan-report.js';
import type { ReportWriter } from './report-writer.js';
import type { Style } from './style.js';

const lineOf = (
  { file, place, startLine, startColumn, rule, kind, severity, commit }: ReportFinding,
  style: Style,
): string => {
  const where = place === null ? ' (in its name)' : `:${startLine}:${startColumn}`;
  const from = commit === null ? '' : ` ${style.faint(commit.id.slice(0, 12))}`;
  const warns = severity === 'warn' ? ` ${style.warn('warn')}` : '';
  return `${style.name(file)}${where}: ${style.strong(rule)} ${kind}${warns}${from}\n`;
};

export const textReport = (style: Style): ReportWriter => ({
  begin: () => '',
  files: (reports) => reports.flatMap(({ findings }) => findings.map((finding) => lineOf(finding, style))).join(''),
  end: () => '',
});
