/**
 * The scan thread: reads the rule tables and the prefilter once, tests itself, then answers batches. Built as one CommonJS
 * file whose only import at run time is `re2`.
 *
 * Every fault is answered with data. An exception would reach the pool as a plain `Error` without a code, and one thrown
 * while this file loads would make piscina start thread after thread.
 */
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type {
  EchoBatch,
  EchoReply,
  PackedScanReply,
  ReadyReply,
  ReadyTask,
  ScanBatch,
  ScanInput,
  ScanOutcome,
  ScanThreadStart,
  StoppableBatch,
} from '../src/contract/scan.js';
import { echoFinders } from '../src/engine/find-echoes.js';
import { packReply } from '../src/engine/packed-reply.js';
import { type OpenProfile, type ProfileScanner, profileScanners } from '../src/engine/profile-scanner.js';
import { decodeTables } from '../src/engine/rule-tables.js';
import { scanInputs } from '../src/engine/scan-input.js';
import { selfTest } from '../src/engine/self-test.js';
import { compileWasm } from '../src/engine/web-assembly.js';

type Thread =
  | { readonly ok: true; readonly rulesDigest: string; readonly openProfile: OpenProfile }
  | { readonly ok: false; readonly fault: string };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'a fault without a message');

const poolStop = new Int32Array((workerData as ScanThreadStart).stop);
/** The word of the batch at hand. */
let batchStop: Int32Array | null = null;

/** Asked all along a scan, so it is also where one ends that nobody waits for any more. */
const nowMs = (): number => {
  if (Atomics.load(poolStop, 0) !== 0 || (batchStop !== null && Atomics.load(batchStop, 0) !== 0)) {
    throw new Error('nobody waits for the answer any more');
  }
  return performance.now();
};

const start = (): Thread => {
  try {
    const { tablesPath, prefilterPath } = workerData as ScanThreadStart;
    const prefilter = compileWasm(readFileSync(prefilterPath));
    const tables = decodeTables(readFileSync(tablesPath), tablesPath);
    const fault = selfTest(tables, prefilter);
    if (fault !== null) return { ok: false, fault };
    return { ok: true, rulesDigest: tables.digest, openProfile: profileScanners(tables, prefilter, nowMs) };
  } catch (error) {
    return { ok: false, fault: `a scan thread cannot start: ${messageOf(error)}` };
  }
};

const thread = start();
/** Keeps the index of the last needles: all batches of one bundle look for the same. */
const echoFinderOf = echoFinders();

const refuse = (input: ScanInput, detail: string): ScanOutcome => ({
  ref: input.ref,
  ok: false,
  bound: 'engine-fault',
  detail,
});

const scanOf = (batch: ScanBatch, inputs: readonly ScanInput[], profile: ProfileScanner): ScanOutcome[] =>
  scanInputs(
    inputs.map(({ ref, offset, length }) => ({ ref, text: Buffer.from(batch.buffer, offset, length) })),
    profile,
    nowMs,
  );

/** Inputs on their own, so that a fault is answered for the one that has it. */
const scanApart = (batch: ScanBatch, profile: ProfileScanner): ScanOutcome[] =>
  batch.inputs.flatMap((input) => {
    try {
      return scanOf(batch, [input], profile);
    } catch (error) {
      return [refuse(input, messageOf(error))];
    }
  });

const scanBatch = (batch: ScanBatch): ScanOutcome[] => {
  if (!thread.ok) return batch.inputs.map((input) => refuse(input, thread.fault));
  let profile: ProfileScanner;
  try {
    profile = thread.openProfile(batch.profile);
  } catch (error) {
    return batch.inputs.map((input) => refuse(input, messageOf(error)));
  }
  try {
    return scanOf(batch, batch.inputs, profile);
  } catch {
    return scanApart(batch, profile);
  }
};

const echoBatch = ({ buffer, inputs, needles }: EchoBatch): EchoReply['outcomes'] => {
  const finder = echoFinderOf(needles);
  return inputs.map(({ ref, offset, length }) => ({ ref, hits: finder.find(Buffer.from(buffer, offset, length)) }));
};

const timed = <T>(work: () => T): { readonly outcomes: T; readonly busyMs: number } => {
  const began = performance.now();
  const outcomes = work();
  return { outcomes, busyMs: performance.now() - began };
};

const ready = (): ReadyReply =>
  thread.ok ? { ok: true, rulesDigest: thread.rulesDigest } : { ok: false, fault: thread.fault };

export default (task: StoppableBatch | ReadyTask): PackedScanReply | EchoReply | ReadyReply => {
  batchStop = task.task === 'ready' || task.stop === null ? null : new Int32Array(task.stop);
  switch (task.task) {
    case 'ready':
      return ready();
    case 'scan':
      return packReply(timed(() => scanBatch(task)));
    case 'echo':
      return timed(() => echoBatch(task));
    default:
      return task satisfies never;
  }
};
