/** The small version of `npm run bench -- exactness`: the built threads against the oracle, and the comparison itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareItems, type ExactItem } from '../../bench/support/exact/compare.js';
import { fuzzedItems } from '../../bench/support/exact/fuzzed-items.js';
import { type Oracle, openOracle } from '../../bench/support/exact/oracle.js';
import { itemsOfUnit } from '../../bench/support/exact/units.js';
import { changeReviewProfile, openPool } from '../../bench/support/memory-assembly.js';
import { readTables } from '../../bench/support/primary-threads.js';
import { seededNumbers } from '../../bench/support/seeded-numbers.js';
import { FAMILIES } from '../../src/contract/finding.js';
import type { ScanProfile } from '../../src/contract/rule.js';
import type { ScannedInput, Scanner } from '../../src/contract/scan.js';
import type { ScanPool } from '../../src/pool/scan-pool.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import { projectFolder } from '../support/run-coldseal.js';

const dist = join(projectFolder, 'dist');
const SEED = 20;

let oracle: Oracle;
let profile: ScanProfile;
let pools: readonly ScanPool[];
let fuzzed: readonly ExactItem[];

beforeAll(async () => {
  const tables = readTables(dist);
  oracle = openOracle(tables, FAMILIES);
  profile = { ...changeReviewProfile(`${tables.digest} all`), families: FAMILIES };
  pools = [await openPool(dist, 1), await openPool(dist, 2)];
  const makeItem = fuzzedItems(loadRuleSet(join(projectFolder, 'config/rules')).rules, SEED);
  fuzzed = itemsOfUnit({ kind: 'fuzz', number: 0, from: 0, to: 150 }, makeItem, seededNumbers(SEED));
}, 120_000);

afterAll(async () => {
  for (const pool of pools) await pool.close();
});

const compare = (items: readonly ExactItem[], scanners: readonly Scanner[], rounds: number) =>
  compareItems(items, oracle, scanners, profile, rounds, seededNumbers(SEED));

describe('one and two threads find what RE2 finds rule by rule in the whole item', { timeout: 240_000 }, () => {
  test('for fuzzed items, however they are laid into batches', async () => {
    const compared = await compare(fuzzed, pools, 3);
    expect(compared.differences).toEqual([]);
    expect(compared.findings).toBeGreaterThan(fuzzed.length);
    expect(compared.compared).toBe(fuzzed.length * 2 * 3);
  });

  test('for this project’s sources, whole and in pieces of any size', async () => {
    const paths = ['src/contract/codes.ts', 'src/rules/import-leaks-toml.ts', 'test/rules/shipped-rules.test.ts'];
    const unit = { kind: 'files', number: 0, paths: paths.map((path) => join(projectFolder, path)) } as const;
    const whole = unit.paths.map((path) => ({ name: path, bytes: readFileSync(path) }));
    const pieces = [1, 2, 3].flatMap((seed) => itemsOfUnit(unit, () => Buffer.alloc(0), seededNumbers(seed)));
    const compared = await compare([...whole, ...pieces], pools, 2);
    expect(compared.differences).toEqual([]);
    expect(pieces.length).toBeGreaterThan(whole.length);
  });
});

describe('the comparison notices', { timeout: 240_000 }, () => {
  /** A scanner whose answers are changed before they are looked at. */
  const spoiled = (change: (outcome: ScannedInput) => ScannedInput | null): Scanner => {
    const [pool] = pools;
    if (pool === undefined) throw new Error('there is no pool');
    return {
      ...pool,
      scan: async (batch) => {
        const reply = await pool.scan(batch);
        const outcomes = reply.outcomes.map((outcome) => (outcome.ok ? change(outcome) : outcome));
        return { ...reply, outcomes: outcomes.filter((outcome) => outcome !== null) };
      },
    };
  };

  test.each<[string, (outcome: ScannedInput) => ScannedInput | null]>([
    ['a finding that is missed', (outcome) => ({ ...outcome, findings: outcome.findings.slice(1) })],
    [
      'a span that is a byte too short',
      (outcome) => ({ ...outcome, findings: outcome.findings.map((one) => ({ ...one, end: one.end - 1 })) }),
    ],
    [
      'a line that is wrong',
      (outcome) => ({ ...outcome, findings: outcome.findings.map((one) => ({ ...one, line: one.line + 1 })) }),
    ],
    [
      'a value of other bytes',
      (outcome) => ({ ...outcome, values: outcome.values.map((one) => ({ ...one, bytes: one.bytes.slice(1) })) }),
    ],
    [
      'a finding that is told twice',
      (outcome) => ({ ...outcome, findings: [...outcome.findings, ...outcome.findings.slice(-1)] }),
    ],
    ['an item without an answer', () => null],
  ])('%s', async (_name, change) => {
    const items = fuzzed.slice(0, 20);
    expect((await compare(items, [spoiled(change)], 1)).differences.length).toBeGreaterThan(0);
  });

  test('and tells no value', async () => {
    const { differences } = await compare(fuzzed.slice(0, 20), [spoiled(() => null)], 1);
    expect(differences.join('\n')).not.toMatch(/[0-9a-f]{64}/);
  });
});
