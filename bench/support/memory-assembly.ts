/**
 * The whole way from items in memory to a sealed bundle: scan with all views, echo, blanking, frame, re-scan, seal. The same
 * code as a send's, without git and without a provider, so that the engine is measured with everything on.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LARGEST_CAP_BYTES, type SealedBundle } from '../../src/contract/bundle.js';
import type { ItemPlan, LoadedItem } from '../../src/contract/item.js';
import type { ScanProfile } from '../../src/contract/rule.js';
import type { Scanner } from '../../src/contract/scan.js';
import { assembleBundle } from '../../src/pipeline/assemble-bundle.js';
import type { AssemblyFigures } from '../../src/pipeline/assembly-request.js';
import { openScanPool, type ScanPool } from '../../src/pool/scan-pool.js';

const IN_FLIGHT_BYTES = 64 * 1024 * 1024;
/** Items that are handed on together, as a source does. */
const TOGETHER_BYTES = 256 * 1024;

export const openPool = (dist: string, threads: number): Promise<ScanPool> =>
  openScanPool({
    workerFile: join(dist, 'scan-worker.cjs'),
    tablesPath: join(dist, 'rules.tables'),
    prefilterPath: join(dist, 'prefilter.wasm'),
    threads,
    startThreads: threads,
    queueLimit: 4096,
  });

/** The families of a change review; nobody's names. */
export const changeReviewProfile = (rulesDigest: string): ScanProfile => ({
  digest: `sha256:${createHash('sha256').update(`bench ${rulesDigest}`).digest('hex')}`,
  families: ['secret', 'identity', 'private'],
  identity: { homePaths: [], userNames: [], personNames: [], emails: [] },
  ownerRules: [],
});

const planOf = (items: readonly Buffer[]): ItemPlan => ({
  kind: 'change_review',
  listOrigin: 'compiled',
  range: { base: 'b'.repeat(40), head: 'c'.repeat(40) },
  deleted: [],
  items: items.map((item, index) => ({
    id: `itm-${String(index + 1).padStart(4, '0')}`,
    input: 'changed_files',
    path: Buffer.from(`items/item-${index}.txt`),
    label: null,
    origin: { kind: 'blob', objectId: 'd'.repeat(40), mode: '100644' },
    rawBytes: item.length,
    withheld: false,
  })),
});

async function* openItems(plan: ItemPlan, texts: readonly Buffer[]): AsyncGenerator<readonly LoadedItem[]> {
  let together: LoadedItem[] = [];
  let bytes = 0;
  for (const [index, item] of plan.items.entries()) {
    const text = texts[index];
    if (text === undefined) continue;
    together.push({ item, text, rawBytes: text.length, omitted: null, lossy: 0, encoding: null });
    bytes += text.length;
    if (bytes < TOGETHER_BYTES) continue;
    yield together;
    together = [];
    bytes = 0;
  }
  if (together.length > 0) yield together;
}

export interface Assembled {
  readonly bundle: SealedBundle;
  readonly figures: AssemblyFigures;
}

/** @param texts over shared memory, together less than the largest cap */
export const assembleInMemory = async (scanner: Scanner, texts: readonly Buffer[]): Promise<Assembled> => {
  const plan = planOf(texts);
  const assembled = await assembleBundle({
    plan,
    openItems: () => openItems(plan, texts),
    scanner,
    profile: changeReviewProfile(scanner.rulesDigest),
    system: Buffer.from('You review.'),
    cap: { bytes: LARGEST_CAP_BYTES, origin: 'machine', key: 'oracle.bundles.cap' },
    knownValues: [],
    isAllowed: () => false,
    project: null,
    stopAtBytes: LARGEST_CAP_BYTES,
    inFlightBytes: IN_FLIGHT_BYTES,
    signal: new AbortController().signal,
    observe: () => undefined,
    monotonicMs: () => performance.now(),
  });
  if (assembled.kind !== 'sealed') throw assembled.refusal;
  return { bundle: assembled.bundle, figures: assembled.figures };
};
