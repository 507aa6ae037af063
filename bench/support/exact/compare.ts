/**
 * What the threads find in items, however these are laid into batches, held against what the oracle says of each item
 * alone: rule, span, line, forms, and the value's bytes. A difference is told by rule and place, never by its text.
 */
import { createHash } from 'node:crypto';
import type { ScanProfile } from '../../../src/contract/rule.js';
import type { ScanBatch, ScanInput, Scanner, ScanOutcome } from '../../../src/contract/scan.js';
import type { Oracle } from './oracle.js';

export interface ExactItem {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Comparison {
  readonly items: number;
  readonly bytes: number;
  readonly findings: number;
  /** Refused by both, for the same bound. */
  readonly refused: number;
  /** Answers of threads that were compared. */
  readonly compared: number;
  readonly differences: readonly string[];
}

const MOST_TOLD = 20;

/** One line a finding; the value only as a hash that never leaves the process. */
const linesOf = (outcome: ScanOutcome | undefined): readonly string[] => {
  if (outcome === undefined) return ['no answer'];
  if (!outcome.ok) return [`refused: ${outcome.bound}`];
  return outcome.findings.map(({ ruleId, kind, severity, start, end, line, views, valueIndex }) => {
    const value = outcome.values[valueIndex];
    const hash = createHash('sha256')
      .update(value?.bytes ?? '')
      .digest('hex');
    return `${ruleId} ${kind} ${severity} ${start}-${end} line ${line} [${views.join('>')}] ${value?.echo} ${hash}`;
  });
};

/** A line without its hash. */
const told = (line: string): string => line.replace(/ [0-9a-f]{64}$/, '');

const differences = (name: string, how: string, wanted: readonly string[], found: readonly string[]): string[] => {
  const missing = wanted.filter((line) => !found.includes(line)).map((line) => `missed ${told(line)}`);
  const extra = found.filter((line) => !wanted.includes(line)).map((line) => `invented ${told(line)}`);
  if (missing.length + extra.length > 0) return [...missing, ...extra].map((what) => `${name} (${how}): ${what}`);
  return wanted.join('\n') === found.join('\n') ? [] : [`${name} (${how}): in another order`];
};

/** Items in random order in batches of random sizes, each at a random place of its batch's memory. */
export const randomBatches = (
  items: readonly ExactItem[],
  profile: ScanProfile,
  below: (limit: number) => number,
): ScanBatch[] => {
  const order = items.map((_, index) => index);
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = below(at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  const batches: ScanBatch[] = [];
  for (let from = 0; from < order.length; ) {
    const refs = order.slice(from, from + 1 + below(below(2) === 0 ? 4 : 80));
    from += refs.length;
    const gaps = refs.map(() => below(70));
    const size = refs.reduce((sum, ref, index) => sum + (items[ref]?.bytes.length ?? 0) + (gaps[index] ?? 0), 0);
    const buffer = new SharedArrayBuffer(size);
    let offset = 0;
    const inputs = refs.map((ref, index): ScanInput => {
      const bytes = items[ref]?.bytes ?? new Uint8Array(0);
      offset += gaps[index] ?? 0;
      new Uint8Array(buffer, offset, bytes.length).set(bytes);
      offset += bytes.length;
      return { ref, offset: offset - bytes.length, length: bytes.length };
    });
    batches.push({ task: 'scan', buffer, inputs, profile });
  }
  return batches;
};

const scanAll = async (scanner: Scanner, batches: readonly ScanBatch[]): Promise<ReadonlyMap<number, ScanOutcome>> => {
  const replies = await Promise.all(batches.map((batch) => scanner.scan(batch)));
  return new Map(replies.flatMap(({ outcomes }) => outcomes.map((outcome) => [outcome.ref, outcome] as const)));
};

/**
 * @param scanners of one thread, of several
 * @param rounds ways of laying the items into batches, for each scanner
 */
export const compareItems = async (
  items: readonly ExactItem[],
  oracle: Oracle,
  scanners: readonly Scanner[],
  profile: ScanProfile,
  rounds: number,
  below: (limit: number) => number,
): Promise<Comparison> => {
  const outcomes = items.map(({ bytes }) => oracle(bytes));
  const wanted = outcomes.map(linesOf);
  const found: string[] = [];
  let compared = 0;
  for (const scanner of scanners) {
    for (let round = 0; round < rounds; round += 1) {
      const answers = await scanAll(scanner, randomBatches(items, profile, below));
      const how = `${scanner.threads} threads, batching ${round + 1}`;
      items.forEach(({ name }, ref) => {
        compared += 1;
        found.push(...differences(name, how, wanted[ref] ?? [], linesOf(answers.get(ref))));
      });
    }
  }
  return {
    items: items.length,
    bytes: items.reduce((sum, { bytes }) => sum + bytes.length, 0),
    findings: outcomes.reduce((sum, outcome) => sum + (outcome.ok ? outcome.findings.length : 0), 0),
    refused: outcomes.filter(({ ok }) => !ok).length,
    compared,
    differences: found
      .slice(0, MOST_TOLD)
      .concat(found.length > MOST_TOLD ? [`and ${found.length - MOST_TOLD} more`] : []),
  };
};
