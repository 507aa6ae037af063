/** What `coldseal metrics` and `/metrics` write, read by Prometheus' own parser for Python. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS, type MetricRow } from '../../src/telemetry/metric-table.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

const READ = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps([{"name": f.name, "type": f.type, "help": f.documentation,
  "samples": [[s.name, s.labels, s.value] for s in f.samples]} for f in text_string_to_metric_families(sys.stdin.read())]))
`;

/** The first Python that has the parser: a person's own may stand before the system's. */
const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import prometheus_client.parser']).status === 0,
);

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly (readonly [string, Readonly<Record<string, string>>, number])[];
}

const parseText = (text: string): readonly Family[] => {
  if (python === undefined) throw new Error('no Python with prometheus_client: install python3-prometheus-client');
  const done = spawnSync(python, ['-c', READ], { input: text, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (done.status !== 0) throw new Error(`the parser refuses it: ${done.stderr}`);
  return JSON.parse(done.stdout) as readonly Family[];
};

/** The parser calls a counter by its name without `_total`. */
const familyOf = (families: readonly Family[], { name, type }: MetricRow): Family | undefined =>
  families.find((family) => family.name === (type === 'counter' ? name.replace(/_total$/, '') : name));

const sumOf = (family: Family | undefined, labels: Readonly<Record<string, string>>): number =>
  (family?.samples ?? [])
    .filter(([, own]) => Object.entries(labels).every(([label, word]) => own[label] === word))
    .reduce((sum, [, , value]) => sum + value, 0);

describe.skipIf(python === undefined && process.env['CI'] === undefined)('the exposition', () => {
  let open: ServiceWorld;
  let fromService: readonly Family[];
  let fromStore: readonly Family[];
  beforeAll(async () => {
    open = await openServiceWorld();
    const body = { repository: open.repository.folder, kind: 'change_review' };
    await open.ask({ path: '/v1/dispatches', body });
    await open.ask({ path: '/v1/dispatches', body: { ...body, expect: 'sha256:0' } });
    fromService = parseText((await open.ask({ path: '/metrics' })).text);
    fromStore = parseText((await open.world.run(open.repository.folder, ['metrics'])).stdout);
  });
  afterAll(() => open?.close());

  it.each(Object.values(METRICS))('of the service holds $name as $type, with its help and labels', (row) => {
    const family = familyOf(fromService, row);
    expect([family?.type, family?.help]).toEqual([row.type, row.help]);
    const due = [...row.labels].sort();
    for (const [, labels] of family?.samples ?? []) {
      expect(
        Object.keys(labels)
          .filter((label) => label !== 'le')
          .sort(),
      ).toEqual(due);
    }
    expect(family?.samples.length).toBeGreaterThan(0);
  });

  it.each(Object.values(METRICS).filter(({ of }) => of === 'run'))(
    'of the record store holds $name as well',
    (row: MetricRow) => {
      expect(familyOf(fromStore, row)?.type).toBe(row.type);
    },
  );

  it('counts the same runs in both', () => {
    for (const families of [fromService, fromStore]) {
      expect(sumOf(familyOf(families, METRICS.bundles), { outcome: 'sent' })).toBe(1);
      expect(sumOf(familyOf(families, METRICS.refusals), { code: 'DIGEST_MISMATCH' })).toBe(1);
    }
  });

  it('has histograms whose buckets only rise and end at the count', () => {
    for (const { name, type, samples } of fromService) {
      if (type !== 'histogram' || !name.startsWith('coldseal_')) continue;
      const buckets = samples.filter(([own]) => own === `${name}_bucket`).map(([, , value]) => value);
      expect(buckets, name).toEqual([...buckets].sort((a, b) => a - b));
      expect(buckets.at(-1), name).toBe(samples.find(([own]) => own === `${name}_count`)?.[2]);
    }
  });
});
