/** Surfaces on their way through the scanner: never more at once than the bound, and dropped with their caller. */
import { expect, it } from 'vitest';
import { hearSurfaces, packSurfaces } from '../../../src/app/gate/hear-surfaces.js';
import type { ScanBatch, Scanner } from '../../../src/contract/scan.js';
import type { GateSurface } from '../../../src/gate/gate-request.js';

const KIB = 1024;
const surfaces = Array.from(
  { length: 8 },
  (_, at): GateSurface => ({ form: 'text', item: 0, bytes: Buffer.alloc(200 * KIB, 97 + at), place: () => [] }),
);
const packed = packSurfaces(surfaces, (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
const profile = {
  digest: '',
  families: [],
  identity: { homePaths: [], userNames: [], personNames: [], emails: [] },
  ownerRules: [],
};
const heardBy = (scan: Scanner['scan'], signal: AbortSignal) => {
  const scanner = { scan, echo: () => Promise.reject(new Error('not asked')), rulesDigest: '', threads: 1 };
  const work = { scanner: { ...scanner, close: () => Promise.resolve() }, profile, isAllowed: () => false };
  const bounds = { most: 2, mostBytes: 1024 * KIB, signal };
  return hearSurfaces({ ...work, bounds }, { items: [] }, packed, () => 0);
};
const clean = ({ inputs }: ScanBatch) => ({
  outcomes: inputs.map(({ ref, length }) => ({
    ref,
    ok: true as const,
    findings: [],
    values: [],
    scannedBytes: length,
  })),
  busyMs: 0,
});

it('has no more batches under way than the bound, whatever a request holds', async () => {
  let running = 0;
  let most = 0;
  const heard = await heardBy(async (batch) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return clean(batch);
  }, new AbortController().signal);
  expect(heard).toEqual({ found: [], scannedBytes: 8 * 200 * KIB });
  expect(most).toBe(2);
});

it('tells the threads when the client leaves, and ends with the reason', async () => {
  const leaving = new AbortController();
  const told: (AbortSignal | undefined)[] = [];
  const heard = heardBy((_batch, signal) => {
    told.push(signal);
    leaving.abort(new Error('the client left'));
    return new Promise(() => undefined);
  }, leaving.signal);
  await expect(heard).rejects.toThrow('the client left');
  expect(told.map((signal) => signal?.aborted)).toEqual([true]);
});
