import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileRule, unplanned } from '../../src/engine/compiled-rule.js';
import { type PlannedRule, planRule } from '../../src/engine/planned-rule.js';
import type { RuleHit, TextScanner } from '../../src/engine/rule-hit.js';
import { scanByPlaces } from '../../src/engine/scan-by-places.js';
import { scanRuleByRule } from '../../src/engine/scan-rule-by-rule.js';
import { compileWasm } from '../../src/engine/web-assembly.js';
import { expandExample } from '../../src/rules/expand-example.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';
import type { DocumentedRule } from '../../src/rules/rule-file.js';
import { buildPrefilter } from '../support/build-scan-thread.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ITEM_BYTES = 8 * 1024;

let folder: string;
let rules: readonly DocumentedRule[];
let planned: readonly PlannedRule[];
let fast: TextScanner;
let plain: TextScanner;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coldseal-prefilter-'));
  buildPrefilter(join(folder, 'prefilter.wasm'));
  rules = loadRuleSet(join(root, 'config/rules')).rules;
  planned = rules.map(planRule);
  const prefilter = compileWasm(readFileSync(join(folder, 'prefilter.wasm')));
  fast = scanByPlaces(prefilter, planned.map(compileRule), () => performance.now());
  plain = scanRuleByRule(rules.map((rule) => compileRule(unplanned(rule))));
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inOrder = (hits: readonly RuleHit[]): string[] =>
  hits.map((hit) => `${rules[hit.rule]?.id} ${hit.from} ${hit.start} ${hit.end} ${hit.to}`).sort();

const cut = (bytes: Buffer): Buffer[] => {
  const items: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += ITEM_BYTES) items.push(bytes.subarray(at, at + ITEM_BYTES));
  return items;
};

const expectSame = (texts: readonly Buffer[]): number => {
  const found = fast.findHits(texts).map(inOrder);
  expect(found).toEqual(plain.findHits(texts).map(inOrder));
  return found.flat().length;
};

describe('the shipped rules', () => {
  test('all have a literal that every match holds', () => {
    expect(planned.filter(({ plan }) => plan === null).map(({ rule }) => rule.id)).toEqual([]);
  });

  test('find the same fast and rule by rule in each of their own examples', { timeout: 240_000 }, () => {
    const lines = rules.flatMap((rule) =>
      [...rule.examples, ...rule.counterexamples].map((one) => expandExample(one, 'engine')),
    );
    expect(expectSame(cut(Buffer.from(lines.join('\n'), 'utf8')))).toBeGreaterThan(rules.length);
  });

  test('find the same fast and rule by rule in this project’s sources', { timeout: 240_000 }, () => {
    const files = readdirSync(join(root, 'src/engine'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const sources = Buffer.concat(files.map((name) => readFileSync(join(root, 'src/engine', name))));
    expect(sources.length).toBeGreaterThan(100_000);
    expectSame(cut(sources));
  });
});
