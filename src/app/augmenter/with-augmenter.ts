/**
 * A scanner with the owner's external one beside it: each batch goes to both, and what the external one adds is a finding
 * like any other, so it is blanked, echoed, numbered and looked for again in the finished bundle. It can only add.
 */
import { createHash } from 'node:crypto';
import type { Finding } from '../../contract/finding.js';
import type { ScanBatch, ScannedInput, Scanner, ScanOutcome, SecretValue } from '../../contract/scan.js';
import { mayEcho } from '../../engine/echo-eligibility.js';
import { lineCounter } from '../../engine/line-counter.js';
import { type ByteGate, createByteGate } from '../scan/byte-gate.js';
import { joinTexts, type PlacedRow, placeRows } from './place-rows.js';
import { readAugmenterReport } from './read-report.js';

export interface Augmenter {
  /** Standard output for one text. */
  readonly run: (text: Uint8Array) => Promise<Buffer>;
  readonly identity: string;
}

/** What a placeholder says of its findings. */
const KIND = 'token:augmenter';

export const withAugmenter = (scanner: Scanner, { run, identity }: Augmenter): Scanner => {
  // As many programs as threads; a batch's bytes are counted by whoever sends it.
  const gate = createByteGate(Number.POSITIVE_INFINITY, scanner.threads);
  const digest = createHash('sha256').update(`${scanner.rulesDigest}\0augmenter\0${identity}`).digest('hex');
  return {
    ...scanner,
    scan: async (batch, signal) => {
      const [reply, rows] = await Promise.all([scanner.scan(batch, signal), inTurn(gate, () => foundIn(batch, run))]);
      return { ...reply, outcomes: reply.outcomes.map((outcome) => widened(outcome, batch, rows)) };
    },
    rulesDigest: `sha256:${digest}`,
  };
};

const bytesOf = ({ buffer }: ScanBatch, { offset, length }: { offset: number; length: number }): Buffer =>
  Buffer.from(buffer, offset, length);

const foundIn = async (batch: ScanBatch, run: Augmenter['run']): Promise<readonly PlacedRow[]> => {
  // A copy: the caller may use the shared memory again while the program still reads.
  const inputs = batch.inputs.map((input) => ({ ref: input.ref, bytes: Buffer.from(bytesOf(batch, input)) }));
  const { text, placed } = joinTexts(inputs);
  if (text.length === 0) return [];
  return placeRows(readAugmenterReport(await run(text)), placed);
};

const widened = (outcome: ScanOutcome, batch: ScanBatch, rows: readonly PlacedRow[]): ScanOutcome => {
  const input = batch.inputs.find(({ ref }) => ref === outcome.ref);
  const own = rows.filter(({ ref }) => ref === outcome.ref).toSorted((a, b) => a.start - b.start || b.end - a.end);
  if (!outcome.ok || input === undefined || own.length === 0) return outcome;
  return added(outcome, bytesOf(batch, input), own);
};

const added = (outcome: ScannedInput, text: Buffer, rows: readonly PlacedRow[]): ScannedInput => {
  const lineOf = lineCounter(text);
  const findings: Finding[] = [...outcome.findings];
  const values: SecretValue[] = [...outcome.values];
  let takenTo = 0;
  for (const { start, end, ruleId } of rows) {
    const isKnown = outcome.findings.some((one) => one.severity === 'block' && one.start <= start && one.end >= end);
    if (isKnown || end <= takenTo) continue;
    takenTo = end;
    const severity = 'block';
    values.push({ bytes: Uint8Array.from(text.subarray(start, end)), echo: mayEcho(severity, text, start, end) });
    const place = { start, end, line: lineOf(start), valueIndex: values.length - 1 };
    findings.push({ ruleId, kind: KIND, family: 'secret', severity, ...place, views: [] });
  }
  findings.sort((a, b) => a.start - b.start || a.end - b.end || (a.ruleId < b.ruleId ? -1 : 1));
  return { ...outcome, findings, values };
};

const inTurn = async <T>(gate: ByteGate, work: () => Promise<T>): Promise<T> => {
  const leave = await gate.enter(0);
  try {
    return await work();
  } finally {
    leave();
  }
};
