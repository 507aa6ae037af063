/** Every metric, label and word that the Grafana board and the alert rules ask for is one that the code writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isCode, isProviderFailure, isRefusal } from '../../src/contract/codes.js';
import { LABEL_WORDS, METRICS, type MetricRow } from '../../src/telemetry/metric-table.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { readPromql } from '../support/read-promql.js';
import { projectFolder } from '../support/run-coldseal.js';

interface Asked {
  readonly where: string;
  readonly expression: string;
  readonly legend: string;
}

const read = (name: string): string => readFileSync(join(projectFolder, 'config', name), 'utf8');

interface Board {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { expr: string; legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}
const board = JSON.parse(read('grafana-board.json')) as Board;

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const { groups } = parse(read('alert-rules.yaml')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);

const onBoard: readonly Asked[] = [
  ...board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ where: title, expression: expr, legend: legendFormat })),
  ),
  ...board.templating.list.flatMap(({ name, definition }) =>
    definition === undefined ? [] : [{ where: `variable ${name}`, expression: definition, legend: '' }],
  ),
];
const inAlerts: readonly Asked[] = alerts.map(({ alert, expr, annotations }) => ({
  where: alert,
  expression: expr,
  legend: `${annotations.summary} ${annotations.description}`.replaceAll('$labels.', ''),
}));

/** Labels that Prometheus itself puts on every series. */
const SCRAPE_LABELS = ['job', 'instance'];
const FROM_CLIENT = new Set(
  (await createMetrics({ version: '0', rules: '0' }).registry.getMetricsAsArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('coldseal_')),
);

/** The row of a series' name; a histogram's series end in `_bucket`, `_sum` and `_count` and nothing else does. */
const rowOf = (series: string): MetricRow | null =>
  Object.values(METRICS).find(({ name, type }) =>
    type === 'histogram' ? new RegExp(`^${name}_(bucket|sum|count)$`).test(series) : name === series,
  ) ?? null;

const isWordOf = (row: MetricRow, label: string, word: string): boolean => {
  if (label === 'code')
    return isCode(word) && (row.name === METRICS.refusals.name ? isRefusal(word) : isProviderFailure(word));
  const words: readonly string[] | undefined = LABEL_WORDS[label as keyof typeof LABEL_WORDS];
  return words?.includes(word) ?? false;
};

/** What is asked for and is not there, one line each. */
const findStrange = ({ where, expression, legend }: Asked): readonly string[] => {
  const { series, grouped } = readPromql(expression, legend);
  const known = new Set(SCRAPE_LABELS);
  const strange = series.flatMap(({ name, labels }) => {
    if (name === 'up' || FROM_CLIENT.has(name))
      return labels
        .filter(({ label }) => !SCRAPE_LABELS.includes(label))
        .map(({ label }) => `${where}: ${name}{${label}}`);
    const row = rowOf(name);
    if (row === null) return [`${where}: ${name}`];
    const own = [...row.labels, ...(row.type === 'histogram' ? ['le'] : [])];
    for (const label of own) known.add(label);
    return labels.flatMap(({ label, words }) => {
      if (SCRAPE_LABELS.includes(label)) return [];
      if (!own.includes(label)) return [`${where}: ${name}{${label}}`];
      return words.filter((word) => !isWordOf(row, label, word)).map((word) => `${where}: ${label}="${word}"`);
    });
  });
  if (series.length === 0) strange.push(`${where}: asks for nothing`);
  return [...strange, ...grouped.filter((label) => !known.has(label)).map((label) => `${where}: by ${label}`)];
};

describe('the Grafana board', () => {
  it('asks only for metrics, labels and words that the code writes', () => {
    expect(onBoard.length).toBeGreaterThan(25);
    expect(onBoard.flatMap(findStrange)).toEqual([]);
  });

  it('shows every metric of the code', () => {
    const shown = new Set(
      onBoard.flatMap(({ expression, legend }) =>
        readPromql(expression, legend).series.map(({ name }) => rowOf(name)?.name),
      ),
    );
    expect(Object.values(METRICS).filter(({ name }) => !shown.has(name))).toEqual([]);
  });

  it('gives each panel a number of its own', () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  });
});

describe('the alert rules', () => {
  it('ask only for metrics, labels and words that the code writes', () => {
    expect(inAlerts.length).toBeGreaterThan(12);
    expect(inAlerts.flatMap(findStrange)).toEqual([]);
  });

  it('have one name each, a severity, and say what to do', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations } of alerts) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(warning|critical)$/)]);
      expect(annotations.summary.length * annotations.description.length, alert).toBeGreaterThan(0);
    }
  });
});

describe('the check itself', () => {
  it.each([
    ['a metric that is not there', 'rate(coldseal_bundle_total[5m])', ''],
    ['a histogram without its ending', 'rate(coldseal_bundle_bytes[5m])', ''],
    ['a label that the metric has not', 'coldseal_refusals_total{kind="gate"}', ''],
    ['a word outside the label’s set', 'coldseal_refusals_total{code="OVER_CAPS"}', ''],
    ['a provider’s code among refusals', 'coldseal_refusals_total{code=~"OVER_CAP|PROVIDER_TLS"}', ''],
    ['a grouping by a label that is not there', 'sum by (code) (coldseal_bundles_total)', ''],
    ['a legend of a label that is not there', 'coldseal_bundles_total', '{{ code }}'],
    ['nothing at all', '1 > 0', ''],
  ])('finds %s', (_what, expression, legend) => {
    expect(findStrange({ where: 'here', expression, legend })).toHaveLength(1);
  });

  it('refuses brackets that do not pair', () => {
    expect(() => readPromql('sum(rate(coldseal_bundles_total[5m])')).toThrow(/brackets/);
  });
});
