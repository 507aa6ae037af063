/** Surfaces on their way through the scanner: never more at once than the bound, and dropped with their caller. */
import { describe, expect, it } from 'vitest';
import { echoSurfaces, hearSurfaces, packSurfaces } from '../../../src/app/gate/hear-surfaces.js';
import type { EchoBatch, ScanBatch, Scanner } from '../../../src/contract/scan.js';
import type { GateSurface } from '../../../src/gate/gate-request.js';
import { madeToken } from '../../support/made-secrets.js';

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

const take = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
const textOf = (bytes: Uint8Array, form: GateSurface['form'] = 'text'): GateSurface => ({
  form,
  item: 0,
  bytes,
  place: () => [],
});
const text = (bytes: number, at: number): GateSurface => textOf(Buffer.alloc(bytes, 33 + (at % 90)));

/** The refs of each message that threads were given. */
const messagesOf = async (own: readonly GateSurface[], threads: number): Promise<readonly number[][]> => {
  const messages: number[][] = [];
  const scanner = {
    scan: async (batch: ScanBatch) => {
      messages.push(batch.inputs.map(({ ref }) => ref));
      return clean(batch);
    },
    echo: () => Promise.reject(new Error('not asked')),
    rulesDigest: '',
    threads,
    close: () => Promise.resolve(),
  };
  const bounds = { most: 2 * threads, mostBytes: 1024 * KIB, signal: new AbortController().signal };
  const work = { scanner, profile, isAllowed: () => false, bounds };
  await hearSurfaces(work, { items: [] }, packSurfaces(own, take), () => 0);
  return messages;
};

describe('the messages of a request', () => {
  const many = Array.from({ length: 41 }, (_, at) => text(2500 + at, at));

  it.each([1, 2, 3, 4])(
    'are as many as there are threads, where there are %i, and hold each surface once',
    async (threads) => {
      const messages = await messagesOf(many, threads);
      expect(messages).toHaveLength(threads);
      expect(messages.flat()).toEqual(many.map((_, ref) => ref));
    },
  );

  it('are no more than are worth waking a thread for', async () => {
    expect(await messagesOf([text(3 * KIB, 0), text(3 * KIB, 1)], 8)).toEqual([[0, 1]]);
    expect(await messagesOf([text(20 * KIB, 0), text(20, 1)], 8)).toEqual([[0, 1]]);
  });

  it('count the JSON for as many bytes as take its time', async () => {
    const json = textOf(Buffer.alloc(20 * KIB, 98), 'json');
    const [first, second] = await messagesOf(
      [json, ...Array.from({ length: 40 }, (_, at) => text(2 * KIB, at + 70))],
      2,
    );
    // 20 KiB of JSON and 5 texts weigh what 35 texts do.
    expect([first?.length, second?.length]).toEqual([6, 35]);
  });

  it('hold every surface of a request that is larger than they are', async () => {
    const large = Array.from({ length: 30 }, (_, at) => text(100 * KIB + at, at));
    expect((await messagesOf(large, 2)).flat().sort((a, b) => a - b)).toEqual(large.map((_, ref) => ref));
  });
});

describe('a known value', () => {
  const value = Buffer.from(madeToken(7));
  const teller = { kind: 'token:x', family: 'secret', severity: 'block', ruleId: 'x', valueId: 1 } as const;
  const bounds = { most: 2, mostBytes: 1024 * KIB, signal: new AbortController().signal };
  const searched = async (bytes: number, values: number) => {
    let asked = 0;
    const scanner = {
      scan: () => Promise.reject(new Error('not asked')),
      echo: async ({ inputs }: EchoBatch) => {
        asked += 1;
        return { outcomes: inputs.map(({ ref }) => ({ ref, hits: [] })), busyMs: 0 };
      },
      rulesDigest: '',
      threads: 1,
      close: () => Promise.resolve(),
    };
    const own = packSurfaces([textOf(Buffer.concat([Buffer.alloc(bytes, 32), value]))], take);
    const told = Array.from({ length: values }, (_, at) => ({
      bytes: at === 0 ? value : Buffer.from(`another-value-${String(at).padStart(4, '0')}`),
      teller,
    }));
    const found = await echoSurfaces(own, told, scanner, bounds);
    return { asked, found: found.map(({ span: { start, end, kind } }) => ({ start, end, kind })) };
  };

  it('is searched for here in a small request', async () => {
    expect(await searched(KIB, 1)).toEqual({
      asked: 0,
      found: [{ start: KIB, end: KIB + value.length, kind: 'token:x' }],
    });
  });

  it.each([
    [300 * KIB, 1],
    [KIB, 9],
  ])('is searched for by the threads in %i bytes, and among %i', async (bytes, values) => {
    expect((await searched(bytes, values)).asked).toBe(1);
  });
});
