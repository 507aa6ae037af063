/**
 * The scan thread: reads the rule tables once, tests itself, then answers batches. Built as one CommonJS file whose only
 * import at run time is `re2`.
 *
 * Every fault is answered with data. An exception would reach the pool as a plain `Error` without a code, and one thrown
 * while this file loads would make piscina start thread after thread.
 */
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type {
  EchoBatch,
  EchoReply,
  ReadyReply,
  ReadyTask,
  ScanBatch,
  ScanInput,
  ScanOutcome,
  ScanReply,
  ScanThreadSettings,
} from '../src/contract/scan.js';
import { type OpenProfile, type ProfileScanner, profileScanners } from '../src/engine/profile-scanner.js';
import { decodeTables } from '../src/engine/rule-tables.js';
import { scanInput } from '../src/engine/scan-input.js';
import { selfTest } from '../src/engine/self-test.js';

type Thread =
  | { readonly ok: true; readonly rulesDigest: string; readonly openProfile: OpenProfile }
  | { readonly ok: false; readonly fault: string };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'a fault without a message');

const start = (): Thread => {
  try {
    const { tablesPath } = workerData as ScanThreadSettings;
    const tables = decodeTables(readFileSync(tablesPath), tablesPath);
    const fault = selfTest(tables);
    if (fault !== null) return { ok: false, fault };
    return { ok: true, rulesDigest: tables.ruleSet.digest, openProfile: profileScanners(tables) };
  } catch (error) {
    return { ok: false, fault: messageOf(error) };
  }
};

const thread = start();

const refuse = (input: ScanInput, detail: string): ScanOutcome => ({
  ref: input.ref,
  ok: false,
  bound: 'engine-fault',
  detail,
});

const scanOne = (batch: ScanBatch, input: ScanInput, profile: ProfileScanner): ScanOutcome => {
  try {
    return scanInput(input.ref, new Uint8Array(batch.buffer, input.offset, input.length), profile);
  } catch (error) {
    return refuse(input, messageOf(error));
  }
};

const scanBatch = (batch: ScanBatch): readonly ScanOutcome[] => {
  if (!thread.ok) return batch.inputs.map((input) => refuse(input, thread.fault));
  try {
    const profile = thread.openProfile(batch.profile);
    return batch.inputs.map((input) => scanOne(batch, input, profile));
  } catch (error) {
    return batch.inputs.map((input) => refuse(input, messageOf(error)));
  }
};

const timed = <T>(work: () => T): { readonly outcomes: T; readonly busyMs: number } => {
  const began = performance.now();
  const outcomes = work();
  return { outcomes, busyMs: performance.now() - began };
};

const ready = (): ReadyReply =>
  thread.ok ? { ok: true, rulesDigest: thread.rulesDigest } : { ok: false, fault: thread.fault };

export default (task: ScanBatch | EchoBatch | ReadyTask): ScanReply | EchoReply | ReadyReply => {
  switch (task.task) {
    case 'ready':
      return ready();
    case 'scan':
      return timed(() => scanBatch(task));
    case 'echo':
      return timed(() => []);
    default:
      return task satisfies never;
  }
};
