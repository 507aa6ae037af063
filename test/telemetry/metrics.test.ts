import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { RecordRow } from '../../src/contract/record.js';
import { countEnd } from '../../src/telemetry/count-run.js';
import { METRICS } from '../../src/telemetry/metric-table.js';
import { createMetrics, createRunMetrics } from '../../src/telemetry/metrics.js';
import { familiesFromRecords, metricsFromRecords } from '../../src/telemetry/metrics-from-records.js';
import { BUNDLE, END, HOST, REFUSED, START } from '../record/rows.js';

const BUILD = { version: '9.9.9', rules: 'sha256:ab' };

/** Prometheus text to `name{labels}` -> value, comments left out. */
function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const namesOf = (text: string): readonly string[] =>
  [...text.matchAll(/^# TYPE (coldseal_\S+)/gm)].map((match) => match[1] ?? '').sort();

describe('the metrics registry', () => {
  it('holds exactly the names of the contract, beside prom-client’s own', async () => {
    const contract = [
      'coldseal_blanked_spans_total',
      'coldseal_build_info',
      'coldseal_bundle_bytes',
      'coldseal_bundle_items',
      'coldseal_bundles_total',
      'coldseal_in_flight_bytes',
      'coldseal_jobs',
      'coldseal_omitted_items_total',
      'coldseal_pool_threads',
      'coldseal_pool_threads_busy',
      'coldseal_provider_duration_seconds',
      'coldseal_provider_failures_total',
      'coldseal_queue_depth',
      'coldseal_record_write_seconds',
      'coldseal_refusals_total',
      'coldseal_scan_duration_seconds',
      'coldseal_scanned_bytes_total',
      'coldseal_time_to_first_token_seconds',
      'coldseal_tokens_total',
      'coldseal_worker_restarts_total',
    ];
    const { registry } = createMetrics(BUILD);
    const text = await registry.metrics();
    expect(namesOf(text)).toEqual(contract);
    expect(
      Object.values(METRICS)
        .map((row) => row.name)
        .sort(),
    ).toEqual(contract);
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('reads the process’s gauges at each scrape', async () => {
    const metrics = createMetrics(BUILD);
    let busy = 0;
    let restarts = 0;
    metrics.process.watch({
      poolThreads: () => 2,
      poolThreadsBusy: () => busy,
      queueDepth: () => 3,
      inFlightBytes: () => 4096,
      jobs: async () => ({ waiting: 7, delayed: 0, running: 2, dead: 1, unknown: 1 }),
      workerRestarts: () => restarts,
    });
    metrics.process.recordWritten(20);
    await metrics.registry.metrics();
    busy = 1;
    restarts = 5;
    const series = seriesOf(await metrics.registry.metrics());
    expect(series.get('coldseal_pool_threads')).toBe(2);
    expect(series.get('coldseal_pool_threads_busy')).toBe(1);
    expect(series.get('coldseal_queue_depth')).toBe(3);
    expect(series.get('coldseal_in_flight_bytes')).toBe(4096);
    expect(series.get('coldseal_worker_restarts_total')).toBe(5);
    expect(series.get('coldseal_jobs{state="waiting"}')).toBe(7);
    expect(series.get('coldseal_record_write_seconds_count')).toBe(1);
    expect(series.get('coldseal_build_info{version="9.9.9",rules="sha256:ab"}')).toBe(1);
  });
});

describe('the end of a run', () => {
  async function seriesAfter(...end: [kind: string, outcome: string, code: string | null]) {
    const registry = new Registry();
    countEnd(createRunMetrics(registry), ...end);
    return seriesOf(await registry.metrics());
  }

  it('counts no refusal for a rule that ended a run whose request had left', async () => {
    const series = await seriesAfter('change_review', 'provider_failed', 'CANCELLED');
    expect(series.get('coldseal_bundles_total{kind="change_review",outcome="provider_failed"}')).toBe(1);
    expect(series.get('coldseal_refusals_total{code="CANCELLED"}')).toBe(0);
  });

  it.each([
    ['refused', 'OVER_CAP', 'coldseal_refusals_total{code="OVER_CAP"}'],
    ['provider_failed', 'PROVIDER_TLS', 'coldseal_provider_failures_total{code="PROVIDER_TLS"}'],
    ['sent', null, 'coldseal_bundles_total{kind="reading",outcome="sent"}'],
    ['made up on the way', null, 'coldseal_bundles_total{kind="reading",outcome="other"}'],
  ] as const)('counts the outcome %s with code %s', async (outcome, code, name) => {
    expect((await seriesAfter('reading', outcome, code)).get(name)).toBe(1);
  });
});

describe('figures from the record store', () => {
  async function* rows(...bodies: [string, object][]): AsyncGenerator<RecordRow> {
    for (const [id, body] of bodies) yield { v: 1, id, time: '', prev: '', hash: '', ...body } as RecordRow;
  }

  it('are those of every row, each run once', async () => {
    const text = await metricsFromRecords(
      rows(['a', START], ['a', { ...START, attempt: 2 }], ['a', END], ['b', REFUSED], ['c', HOST], ['d', START]),
      BUILD,
    );
    const series = seriesOf(text);
    expect(series.get('coldseal_bundles_total{kind="change_review",outcome="sent"}')).toBe(1);
    expect(series.get('coldseal_bundles_total{kind="change_review",outcome="refused"}')).toBe(1);
    expect(series.get('coldseal_bundles_total{kind="change_review",outcome="host"}')).toBe(1);
    expect(series.get('coldseal_bundles_total{kind="change_review",outcome="unknown"}')).toBe(1);
    expect(series.get('coldseal_refusals_total{code="OVER_CAP"}')).toBe(1);
    expect(series.get('coldseal_bundle_bytes_count')).toBe(2);
    expect(series.get('coldseal_bundle_bytes_sum')).toBe(2 * BUNDLE.bytes);
    expect(series.get('coldseal_bundle_items_sum')).toBe(4);
    expect(series.get('coldseal_scanned_bytes_total')).toBe(4000);
    expect(series.get('coldseal_scan_duration_seconds_sum')).toBeCloseTo(0.08);
    expect(series.get('coldseal_blanked_spans_total{family="secret"}')).toBe(2);
    expect(series.get('coldseal_omitted_items_total{reason="binary"}')).toBe(2);
    expect(series.get('coldseal_provider_duration_seconds_sum')).toBe(3);
    expect(series.get('coldseal_time_to_first_token_seconds_sum')).toBe(0.5);
    expect(series.get('coldseal_tokens_total{direction="sent"}')).toBe(400);
    expect(series.get('coldseal_tokens_total{direction="received"}')).toBe(90);
  });

  it('are the same as values and as text', async () => {
    const bodies: [string, object][] = [
      ['a', START],
      ['a', END],
      ['b', REFUSED],
    ];
    const families = await familiesFromRecords(rows(...bodies), BUILD);
    const series = new Map(
      families.flatMap(({ samples }) =>
        samples.map(({ name, labels, value }): [string, number] => {
          const words = Object.entries(labels).map(([label, word]) => `${label}="${word}"`);
          return [words.length === 0 ? name : `${name}{${words.join(',')}}`, value];
        }),
      ),
    );
    expect(series.size).toBeGreaterThan(50);
    expect(series).toEqual(seriesOf(await metricsFromRecords(rows(...bodies), BUILD)));
    expect(families.map(({ type }) => type)).toContain('histogram');
  });

  it('name only metrics of runs, and the build', async () => {
    const ofRuns = Object.values(METRICS).filter((row) => row.of === 'run');
    const names = [...ofRuns.map((row) => row.name), METRICS.buildInfo.name].sort();
    expect(namesOf(await metricsFromRecords(rows(), BUILD))).toEqual(names);
  });

  it('know a family for every kind that the shipped rules can find', async () => {
    const shipped: unknown = JSON.parse(
      readFileSync(new URL('../../config/rules/secret.json', import.meta.url), 'utf8'),
    );
    const kinds = [...JSON.stringify(shipped).matchAll(/"kind":"([a-z]+:[a-z0-9_]+)"/g)].map((match) => match[1] ?? '');
    expect(kinds.length).toBeGreaterThan(20);
    const blanked = kinds.map((kind) => ({ item: 'itm-0001', line: 1, kind, rule: 'r' }));
    const text = await metricsFromRecords(rows(['a', { ...START, bundle: { ...BUNDLE, blanked } }]), BUILD);
    expect(seriesOf(text).get('coldseal_blanked_spans_total{family="other"}')).toBe(0);
    expect(seriesOf(text).get('coldseal_blanked_spans_total{family="secret"}')).toBe(kinds.length);
  });
});
