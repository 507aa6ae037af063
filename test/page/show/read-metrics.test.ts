import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { boundOf, countsBy, histogramOf, readMetrics, totalOf } from '../../../src/page/show/read-metrics.js';
import { createRunMetrics } from '../../../src/telemetry/metrics.js';

const written = async () => {
  const registry = new Registry();
  const run = createRunMetrics(registry);
  run.refusals.inc({ code: 'OVER_CAP' }, 3);
  run.refusals.inc({ code: 'NO_RANGE' });
  for (const seconds of [0.004, 0.2, 0.2, 0.3, 99]) run.scanSeconds.observe(seconds);
  return readMetrics(await registry.metrics());
};

describe('metrics as the page reads them', () => {
  it('are counted by a label’s words, largest first, without zeros', async () => {
    expect(countsBy(await written(), 'coldseal_refusals_total', 'code')).toEqual([
      { word: 'OVER_CAP', count: 3 },
      { word: 'NO_RANGE', count: 1 },
    ]);
  });

  it('have sums over every series, and none for a name that is not there', async () => {
    const samples = await written();
    expect(totalOf(samples, 'coldseal_refusals_total')).toBe(4);
    expect(totalOf(samples, 'coldseal_pool_threads')).toBeNull();
  });

  it('have histograms whose buckets hold their own alone', async () => {
    const histogram = histogramOf(await written(), 'coldseal_scan_duration_seconds');
    expect(histogram?.count).toBe(5);
    const filled = histogram?.buckets.filter(({ count }) => count > 0);
    expect(filled).toEqual([
      { upTo: 0.005, count: 1 },
      { upTo: 0.25, count: 2 },
      { upTo: 0.5, count: 1 },
      { upTo: Number.POSITIVE_INFINITY, count: 1 },
    ]);
    expect(histogram === null ? null : [boundOf(histogram, 0.5), boundOf(histogram, 0.95)]).toEqual([
      0.25,
      Number.POSITIVE_INFINITY,
    ]);
    expect(histogramOf(await written(), 'coldseal_provider_duration_seconds')).toBeNull();
  });

  it('keep escapes of a label’s words', () => {
    expect(readMetrics('a{b="c\\"d\\\\e\\nf",g="h"} 1')).toEqual([
      { name: 'a', labels: { b: 'c"d\\e\nf', g: 'h' }, value: 1 },
    ]);
  });
});
