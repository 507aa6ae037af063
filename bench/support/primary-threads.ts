/**
 * The primary scan alone on one or more threads: no views, no echo, no re-scan. Threads take batches of one text in shared
 * memory by a counter, so that none waits while there is work, and answer with what they found.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { compileRule } from '../../src/engine/compiled-rule.js';
import type { TextScanner } from '../../src/engine/rule-hit.js';
import { decodeTables, type RuleTables } from '../../src/engine/rule-tables.js';
import { scanByPlaces } from '../../src/engine/scan-by-places.js';
import { compileWasm } from '../../src/engine/web-assembly.js';
import { batchesOf, itemsOf } from './items.js';
import type { Round } from './measure.js';

const BATCH_BYTES = 256 * 1024;

interface ThreadWork {
  readonly dist: string;
  readonly text: SharedArrayBuffer;
  readonly itemBytes: number;
  /** Number of the next batch. */
  readonly next: SharedArrayBuffer;
}

export const readTables = (dist: string): RuleTables =>
  decodeTables(readFileSync(join(dist, 'rules.tables')), 'rules.tables');

export const openPrimary = (dist: string, tables: RuleTables): TextScanner =>
  scanByPlaces(compileWasm(readFileSync(join(dist, 'prefilter.wasm'))), tables.rules.map(compileRule), () =>
    performance.now(),
  );

export const primaryBatches = (text: Buffer, itemBytes: number): Buffer[][] =>
  batchesOf(itemsOf(text, itemBytes), BATCH_BYTES);

/** Hits in all batches. */
export const countHits = (scanner: TextScanner, batches: Iterable<readonly Buffer[]>): number => {
  let found = 0;
  for (const batch of batches) for (const hits of scanner.findHits(batch)) found += hits.length;
  return found;
};

function* taken(batches: readonly Buffer[][], next: Int32Array): Generator<Buffer[]> {
  for (;;) {
    const batch = batches[Atomics.add(next, 0, 1)];
    if (batch === undefined) return;
    yield batch;
  }
}

/** What a thread runs: each message is a round, its answer the hits of the batches it took. */
export const servePrimary = (): void => {
  const { dist, text, itemBytes, next } = workerData as ThreadWork;
  const scanner = openPrimary(dist, readTables(dist));
  const batches = primaryBatches(Buffer.from(text), itemBytes);
  const counter = new Int32Array(next);
  parentPort?.on('message', () => parentPort?.postMessage(countHits(scanner, taken(batches, counter))));
  parentPort?.postMessage('ready');
};

export interface PrimaryThreads {
  round(): Promise<Round>;
  close(): Promise<void>;
}

/**
 * @param text over shared memory
 * @param file the program that calls `servePrimary` in a thread
 */
export const startPrimary = async (
  file: URL,
  dist: string,
  text: Buffer,
  itemBytes: number,
  threads: number,
): Promise<PrimaryThreads> => {
  const next = new SharedArrayBuffer(4);
  const memory = text.buffer;
  if (!(memory instanceof SharedArrayBuffer)) throw new Error('threads share no such memory');
  const work: ThreadWork = { dist, text: memory, itemBytes, next };
  const workers = Array.from({ length: threads }, () => new Worker(file, { workerData: work }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return {
    round: async () => {
      Atomics.store(new Int32Array(next), 0, 0);
      const cpu = process.cpuUsage();
      const began = performance.now();
      const answers = workers.map((worker) => once(worker, 'message') as Promise<[number]>);
      for (const worker of workers) worker.postMessage('round');
      const found = (await Promise.all(answers)).reduce((sum, [hits]) => sum + hits, 0);
      const wallMs = performance.now() - began;
      const { user, system } = process.cpuUsage(cpu);
      return { wallMs, cpuMs: (user + system) / 1000, found };
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};
