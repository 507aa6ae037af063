/**
 * Program: figures of the primary scan, one thread. `node engine.js [DIST [RULES [SOURCE [MIB]]]]` with the built package's
 * folder, the rule files, a folder of source text and how much of it.
 *
 * Processor time is counted, not the clock, so that a busy machine says nearly the same; only ratios of one run mean
 * something. The measure is RE2 rule by rule over the whole item, and ripgrep with one word a rule where it is on the PATH.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileRule, unplanned } from '../../src/engine/compiled-rule.js';
import type { RuleHit, TextScanner } from '../../src/engine/rule-hit.js';
import { decodeTables, type RuleTables } from '../../src/engine/rule-tables.js';
import { scanByPlaces } from '../../src/engine/scan-by-places.js';
import { scanRuleByRule } from '../../src/engine/scan-rule-by-rule.js';
import { compileWasm } from '../../src/engine/web-assembly.js';
import { batchesOf, itemsOf } from '../support/items.js';
import { denseText, sourceText } from './engine-corpora.js';

const MIB = 1024 * 1024;
/** A peer, not a dependency: left out where it is not on the PATH. */
const RIPGREP = 'rg';
const BATCH_BYTES = 256 * 1024;
const WARM_UP_PASSES = 3;
const PASSES = 5;
/** Text that RE2 alone is held against. */
const PLAIN_BYTES = MIB / 2;

const busyMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Best of some passes, in MB of text a second of processor time. */
const speedOf = (bytes: number, passes: number, work: () => void): number => {
  let best = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    const began = busyMs();
    work();
    best = Math.max(best, bytes / 1000 / (busyMs() - began));
  }
  return best;
};

const scanAll = (scanner: TextScanner, batches: readonly Buffer[][]): number =>
  batches.reduce((total, batch) => total + scanner.findHits(batch).reduce((sum, hits) => sum + hits.length, 0), 0);

const placesOf = (hits: readonly RuleHit[]): string =>
  hits
    .map((hit) => `${hit.rule} ${hit.start} ${hit.end}`)
    .sort()
    .join();

interface Figures {
  readonly corpus: string;
  readonly itemBytes: number;
  readonly megabytesPerSecond: number;
  readonly hits: number;
}

const measure = (scanner: TextScanner, corpus: string, text: Buffer, itemBytes: number): Figures => {
  const batches = batchesOf(itemsOf(text, itemBytes), BATCH_BYTES);
  for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) scanAll(scanner, batches);
  let hits = 0;
  const speed = speedOf(text.length, PASSES, () => {
    hits = scanAll(scanner, batches);
  });
  return { corpus, itemBytes, megabytesPerSecond: Math.round(speed), hits };
};

/** RE2 alone over some of the text: its speed, and whether both find the same. */
const againstPlain = (tables: RuleTables, fast: TextScanner, text: Buffer): { speed: number; same: boolean } => {
  const plain = scanRuleByRule(tables.rules.map(({ rule }) => compileRule(unplanned(rule))));
  const items = itemsOf(text.subarray(0, PLAIN_BYTES), 16 * 1024);
  plain.findHits([Buffer.from('warm')]);
  let wanted: RuleHit[][] = [];
  const speed = speedOf(PLAIN_BYTES, 1, () => {
    wanted = plain.findHits(items);
  });
  const found = fast.findHits(items);
  return { speed, same: wanted.every((hits, index) => placesOf(hits) === placesOf(found[index] ?? [])) };
};

/** Counts lines with one of the words; `null` where there is no ripgrep. */
const ripgrepSpeed = (text: Buffer, words: readonly string[]): number | null => {
  const folder = mkdtempSync(join(tmpdir(), 'coldseal-bench-'));
  try {
    writeFileSync(join(folder, 'words'), `${words.join('\n')}\n`);
    writeFileSync(join(folder, 'text'), text);
    const args = ['--no-config', '-j1', '-F', '-i', '-c', '-a', '-f', join(folder, 'words'), join(folder, 'text')];
    execFileSync(RIPGREP, args);
    const began = performance.now();
    execFileSync(RIPGREP, args);
    return text.length / 1000 / (performance.now() - began);
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** One plain word a rule, where its first literal is one. */
const wordsOf = (tables: RuleTables): string[] =>
  tables.rules.flatMap(({ plan }) => {
    const literal = plan?.anchors[0]?.literals[0] ?? [];
    const bytes = literal.map((set) =>
      Array.from({ length: 128 }, (_, byte) => byte).filter((byte) => ((set[byte >> 5] ?? 0) >>> (byte & 31)) & 1),
    );
    const isPlain = bytes.length > 2 && bytes.every((one) => one.length === 1 && (one[0] ?? 0) >= 0x20);
    return isPlain ? [String.fromCharCode(...bytes.flat())] : [];
  });

const main = (args: readonly string[]): void => {
  const [dist = 'dist', rules = 'config/rules', source = 'node_modules', mib = '24'] = args;
  const tables = decodeTables(readFileSync(join(dist, 'rules.tables')), 'rules.tables');
  const fast = scanByPlaces(
    compileWasm(readFileSync(join(dist, 'prefilter.wasm'))),
    tables.rules.map(compileRule),
    () => performance.now(),
  );
  const sparse = sourceText(source, Number(mib) * MIB);
  const dense = denseText(rules, sparse, 4 * MIB);
  const figures = [1024, 16 * 1024, 256 * 1024, sparse.length].map((size) => measure(fast, 'source', sparse, size));
  figures.push(measure(fast, 'dense', dense, 16 * 1024));
  const plain = { source: againstPlain(tables, fast, sparse), dense: againstPlain(tables, fast, dense) };
  const ripgrep = ripgrepSpeed(sparse, wordsOf(tables));
  const reference = figures[1]?.megabytesPerSecond ?? 0;
  const report = {
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    rules: tables.rules.length,
    megabytes: sparse.length / 1e6,
    figures: figures.map((one) => ({ ...one, of16KiB: Number((one.megabytesPerSecond / reference).toFixed(2)) })),
    plain,
    timesPlain: Math.round(reference / plain.source.speed),
    ripgrep,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = plain.source.same && plain.dense.same ? 0 : 1;
};

main(process.argv.slice(2));
