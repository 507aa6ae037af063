/** `/metrics`: every name of the table and no other, each run once, whoever ran it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METRICS } from '../../src/telemetry/metric-table.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld();
});
afterAll(() => open.close());

const review = () => ({ repository: open.repository.folder, kind: 'change_review' });
const scrape = async () => (await open.ask({ path: '/metrics' })).text;
/** A series' value by its name with labels. */
const figureOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
const ofRuns = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => Object.values(METRICS).some((row) => row.of === 'run' && line.startsWith(row.name)));

it('has every name of the table, no other of ours, and the process’s defaults beside', async () => {
  const text = await scrape();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  const own = names.filter(([name]) => name?.startsWith('coldseal_'));
  expect(own.sort()).toEqual(
    Object.values(METRICS)
      .map(({ name, type }) => [name, type])
      .sort(),
  );
  expect(names.map(([name]) => name)).toContain('nodejs_eventloop_lag_p99_seconds');
});

it('counts runs of the service and of the command line once each, at every scrape the same', async () => {
  await open.ask({ path: '/v1/dispatches', body: review() });
  await open.world.run(open.repository.folder, ['review']);
  await open.ask({ path: '/v1/dispatches', body: { ...review(), expect: 'sha256:0' } });
  await open.ask({ path: '/v1/plans', body: review() });
  const [text, same] = await Promise.all([scrape(), scrape()]);
  for (const one of [text, same, await scrape()]) {
    expect(figureOf(one, 'coldseal_bundles_total{kind="change_review",outcome="sent"}')).toBe(2);
    expect(figureOf(one, 'coldseal_bundles_total{kind="change_review",outcome="refused"}')).toBe(1);
    expect(figureOf(one, 'coldseal_bundles_total{kind="change_review",outcome="planned"}')).toBe(1);
    expect(figureOf(one, 'coldseal_refusals_total{code="DIGEST_MISMATCH"}')).toBe(1);
    expect(figureOf(one, 'coldseal_bundle_bytes_count')).toBe(2);
    expect(figureOf(one, 'coldseal_provider_duration_seconds_count')).toBe(2);
  }
});

it('says of runs what the command line’s metrics say, but for plans, which leave no row', async () => {
  const { stdout } = await open.world.run(open.repository.folder, ['metrics']);
  const served = ofRuns(await scrape()).filter((line) => !line.includes('outcome="planned"'));
  expect(served).toEqual(ofRuns(stdout));
});

it('starts again from the record and not from nothing', async () => {
  await open.restart();
  expect(figureOf(await scrape(), 'coldseal_bundles_total{kind="change_review",outcome="sent"}')).toBe(2);
});

it('tells what the process has: threads, rows written, its version and rules', async () => {
  await open.ask({ path: '/v1/dispatches', body: review() });
  const text = await scrape();
  expect(figureOf(text, 'coldseal_pool_threads')).toBeGreaterThanOrEqual(1);
  expect(figureOf(text, 'coldseal_record_write_seconds_count')).toBe(2);
  expect(figureOf(text, 'coldseal_worker_restarts_total')).toBe(0);
  expect(text).toMatch(/^coldseal_build_info\{version="[^"]+",rules="sha256:[0-9a-f]{64}"\} 1$/m);
});
