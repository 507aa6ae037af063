import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { beginScanThreads } from '../../src/pool/begun-threads.js';
import { openScanPool, type ScanPool, type ScanPoolSettings } from '../../src/pool/scan-pool.js';
import { type BuiltScanThread, buildScanThread } from '../support/build-scan-thread.js';
import { batchOf, forgeToken, profileOf, randomText, ruleOf, writeRulesFolder } from '../support/scan-fixtures.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
let built: BuiltScanThread;
let rulesFolder: string;

beforeAll(async () => {
  rulesFolder = writeRulesFolder();
  built = await buildScanThread(rulesFolder);
});

afterAll(() => {
  built.remove();
  rmSync(rulesFolder, { recursive: true, force: true });
});

const settings = (more: Partial<ScanPoolSettings> = {}): ScanPoolSettings => ({
  workerFile: built.workerFile,
  tablesPath: built.tablesPath,
  prefilterPath: built.prefilterPath,
  threads: 2,
  startThreads: 2,
  queueLimit: 64,
  ...more,
});

const withPool = async <T>(more: Partial<ScanPoolSettings>, use: (pool: ScanPool) => Promise<T>): Promise<T> => {
  const pool = await openScanPool(settings(more));
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
};

/**
 * The real thread behind a door that ends it: an input that begins with `!` always, one that begins with `1` once (the
 * byte is shared memory, so the next thread sees that it was there).
 */
const mortalWorker = (): string => {
  const file = join(built.folder, 'mortal-worker.cjs');
  writeFileSync(
    file,
    `const scan = require('./scan-worker.cjs').default;
module.exports = (task) => {
  for (const input of task.inputs ?? []) {
    const bytes = new Uint8Array(task.buffer, input.offset, input.length);
    if (bytes[0] === 0x21) process.exit(7);
    if (bytes[0] === 0x31) { bytes[0] = 0x30; process.exit(7); }
  }
  return scan(task);
};
`,
  );
  return file;
};

/** The real thread, which leaves one byte in `ledger` when it is loaded. */
const countedWorker = (): { readonly workerFile: string; readonly loads: () => number } => {
  const workerFile = join(built.folder, 'counted-worker.cjs');
  const ledger = join(built.folder, 'loads');
  writeFileSync(ledger, '');
  writeFileSync(
    workerFile,
    `require('node:fs').appendFileSync(${JSON.stringify(ledger)}, '.');
module.exports = require('./scan-worker.cjs').default;
`,
  );
  return { workerFile, loads: () => readFileSync(ledger).length };
};

const refusalOf = async (work: Promise<unknown>): Promise<ColdsealError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ColdsealError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('the pool of scan threads', () => {
  test('answers every input of a batch in order with its findings and values', async () => {
    const token = forgeToken(1);
    const reply = await withPool({}, (pool) => pool.scan(batchOf(['nothing', `a\nb ${token}\n`, ''])));
    expect(reply.outcomes.map((outcome) => [outcome.ref, outcome.ok])).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ]);
    const second = reply.outcomes[1];
    if (second?.ok !== true) throw new Error('the input was not scanned');
    expect(second.findings).toEqual([
      {
        ruleId: 'forge-token',
        kind: 'token:forge',
        family: 'secret',
        severity: 'block',
        start: 4,
        end: 4 + token.length,
        line: 2,
        valueIndex: 0,
        views: [],
      },
    ]);
    expect(Buffer.from(second.values[0]?.bytes ?? []).toString()).toBe(token);
    expect(second.values[0]?.echo).toBe(true);
  });

  test('listens to a caller’s signal only while a batch of it is with a thread', async () => {
    await withPool({}, async (pool) => {
      const { signal } = new AbortController();
      const work = [0, 1, 2].map(() => pool.scan(batchOf([randomText(1, 5000)]), signal));
      await work[0];
      await Promise.all(work);
      await pool.echo({ ...batchOf([randomText(2, 5000)]), task: 'echo', needles: [] }, signal);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  test('runs many batches on both threads and answers each its own', async () => {
    const tokens = Array.from({ length: 40 }, (_, index) => forgeToken(index));
    const replies = await withPool({}, (pool) =>
      Promise.all(tokens.map((token, index) => pool.scan(batchOf([`x ${token}`], profileOf(), index)))),
    );
    replies.forEach((reply, index) => {
      const [outcome] = reply.outcomes;
      if (outcome?.ok !== true) throw new Error('the input was not scanned');
      expect(outcome.ref).toBe(index);
      expect(Buffer.from(outcome.values[0]?.bytes ?? []).toString()).toBe(tokens[index]);
    });
  });

  test('finds the same with one thread and with three', async () => {
    const texts = Array.from(
      { length: 60 },
      (_, seed) =>
        `${randomText(seed, seed * 20)} secret: "${randomText(seed + 100, 16)}" ${encodeURIComponent(`"${forgeToken(seed)}"`)}`,
    );
    const batches = [texts.slice(0, 20), texts.slice(20, 21), texts.slice(21)].map((part) => batchOf(part));
    const outcomesWith = (threads: number): Promise<unknown> =>
      withPool({ threads }, async (pool) =>
        (await Promise.all(batches.map((batch) => pool.scan(batch)))).map(({ outcomes }) => outcomes),
      );
    expect(await outcomesWith(3)).toEqual(await outcomesWith(1));
  });

  test('looks for known values on its threads', async () => {
    const token = forgeToken(6);
    const { buffer, inputs } = batchOf([`nothing`, `x ${token} y ${Buffer.from(`1${token}23`).toString('base64')}`]);
    const needles = [{ id: 7, bytes: Buffer.from(token) }];
    const { outcomes } = await withPool({}, (pool) => pool.echo({ task: 'echo', buffer, inputs, needles }));
    expect(outcomes.map(({ ref, hits }) => [ref, hits?.map(({ needleId }) => needleId)])).toEqual([
      [0, []],
      [1, [7, 7]],
    ]);
  });

  test('knows the digest of the compiled-in rules', async () => {
    const digest = await withPool({}, async (pool) => pool.rulesDigest);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test('scans with the owner’s rules of the profile beside the compiled-in ones', async () => {
    const owner = ruleOf('student-[0-9]{6}', { id: 'student', kind: 'private:student', family: 'private' });
    const reply = await withPool({}, (pool) =>
      pool.scan(batchOf(['student-123456'], profileOf([owner], 'sha256:other'))),
    );
    expect(reply.outcomes[0]).toMatchObject({ ok: true, findings: [{ ruleId: 'student', start: 0, end: 14 }] });
  });

  test('answers a rule that does not compile as a fault of every input that needs it', async () => {
    const owner = ruleOf('(?=x)', { id: 'lookahead' });
    const reply = await withPool({}, (pool) => pool.scan(batchOf(['x'], profileOf([owner], 'sha256:broken'))));
    expect(reply.outcomes).toMatchObject([{ ref: 0, ok: false, bound: 'engine-fault' }]);
  });
});

describe('a further thread', () => {
  const large = (seed: number): ReturnType<typeof batchOf> =>
    batchOf([`line of text ${forgeToken(seed)}\n`.repeat(12_000)], profileOf(), seed);

  test('is not started for small batches, however many there are at once', async () => {
    const { workerFile, loads } = countedWorker();
    await withPool({ workerFile, threads: 3, startThreads: 1 }, async (pool) => {
      await Promise.all([1, 2, 3, 4].map((seed) => pool.scan(batchOf([`x ${forgeToken(seed)}`]))));
      expect(loads()).toBe(1);
    });
  });

  test('is started when megabytes wait, no more than were asked for, and every batch gets its own answer', async () => {
    const { workerFile, loads } = countedWorker();
    await withPool({ workerFile, threads: 2, startThreads: 1 }, async (pool) => {
      const replies = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => pool.scan(large(seed))));
      expect(replies.map(({ outcomes }) => outcomes.map(({ ref, ok }) => [ref, ok]))).toEqual(
        [1, 2, 3, 4, 5, 6].map((ref) => [[ref, true]]),
      );
      expect(pool.stats()).toEqual({ threads: 2, threadsBusy: 0, queueDepth: 0, restarts: 0 });
      expect(loads()).toBe(2);
    });
  });

  test('that still loads is closed with the others', async () => {
    const pool = await openScanPool(settings({ threads: 2, startThreads: 1 }));
    const batches = [1, 2, 3, 4, 5, 6].map((seed) =>
      pool.scan(large(seed)).then(
        ({ outcomes }) => outcomes,
        () => null,
      ),
    );
    await pool.close();
    for (const outcomes of await Promise.all(batches)) {
      expect(outcomes?.every(({ ok }) => ok) ?? false).toBe(false);
    }
  });
});

describe('a thread that dies', () => {
  test('names the input that killed two threads and scans its neighbours', async () => {
    const token = forgeToken(2);
    const reply = await withPool({ workerFile: mortalWorker() }, (pool) =>
      pool.scan(batchOf([`a ${token}`, '! deadly', `b ${token}`])),
    );
    expect(reply.outcomes).toMatchObject([
      { ref: 0, ok: true, findings: [{ ruleId: 'forge-token' }] },
      { ref: 1, ok: false, bound: 'thread-died' },
      { ref: 2, ok: true, findings: [{ ruleId: 'forge-token' }] },
    ]);
  });

  test('is tried once more and forgiven, and the restart is counted', async () => {
    await withPool({ workerFile: mortalWorker(), threads: 1 }, async (pool) => {
      const reply = await pool.scan(batchOf([`1 ${forgeToken(3)}`]));
      expect(reply.outcomes).toMatchObject([{ ref: 0, ok: true, findings: [{ ruleId: 'forge-token' }] }]);
      expect(pool.stats()).toEqual({ threads: 1, threadsBusy: 0, queueDepth: 0, restarts: 1 });
    });
  });

  test('ends an echo that killed two threads with a refusal, because nothing may be left unlooked at', async () => {
    await withPool({ workerFile: mortalWorker(), threads: 1 }, async (pool) => {
      const { buffer, inputs } = batchOf(['! deadly']);
      const refusal = await refusalOf(pool.echo({ task: 'echo', buffer, inputs, needles: [] }));
      expect(refusal.code).toBe('SCAN_FAILED');
    });
  });
});

describe('a pool that cannot be whole', () => {
  const spoiled = (name: string, bytes: Uint8Array | string): string => {
    const file = join(built.folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  test.each<[string, () => Partial<ScanPoolSettings>]>([
    ['tables that are missing', () => ({ tablesPath: join(built.folder, 'none.tables') })],
    [
      'tables that are something else',
      () => ({
        tablesPath: spoiled('other.tables', 'not tables at all, but long enough to be read as a head of them'),
      }),
    ],
    ['a thread file that is missing', () => ({ workerFile: join(built.folder, 'none.cjs') })],
    ['a thread file that throws', () => ({ workerFile: spoiled('throws.cjs', 'throw new Error("broken")') })],
  ])('refuses %s as degraded', async (_name, change) => {
    const refusal = await refusalOf(openScanPool(settings(change())));
    expect(refusal.code).toBe('SCANNER_DEGRADED');
  });
});

describe('closing', () => {
  test('drops what waits and ends what runs, which is answered and never as scanned', async () => {
    const pool = await openScanPool(settings({ threads: 1 }));
    const running = pool.scan(batchOf([`${`line of text ${forgeToken(4)}\n`.repeat(400_000)}`]));
    const waiting = refusalOf(pool.scan(batchOf(['y'])));
    expect(pool.stats()).toMatchObject({ threadsBusy: 1, queueDepth: 1 });
    await pool.close();
    expect((await running).outcomes).toMatchObject([{ ok: false, bound: 'engine-fault' }]);
    expect((await waiting).code).toBe('CANCELLED');
    expect((await refusalOf(pool.scan(batchOf(['z'])))).code).toBe('CANCELLED');
  });

  test('of one caller takes its batches out of the line, and nobody else’s', async () => {
    await withPool({ threads: 1 }, async (pool) => {
      const caller = new AbortController();
      const reason = new Error('over the cap');
      const running = pool.scan(batchOf([`line of text ${forgeToken(4)}\n`.repeat(400_000)]), caller.signal);
      const dropped = [pool.scan(batchOf(['b']), caller.signal), pool.scan(batchOf(['c']), caller.signal)];
      const other = pool.scan(batchOf([`x ${forgeToken(4)}`]));
      expect(pool.stats()).toMatchObject({ threadsBusy: 1, queueDepth: 3 });
      caller.abort(reason);
      expect(pool.stats()).toMatchObject({ threadsBusy: 1, queueDepth: 1 });
      for (const batch of dropped) await expect(batch).rejects.toBe(reason);
      await expect(pool.scan(batchOf(['d']), caller.signal)).rejects.toBe(reason);
      expect((await running).outcomes).toMatchObject([{ ok: false, bound: 'engine-fault' }]);
      expect((await other).outcomes).toMatchObject([{ ok: true, findings: [{ ruleId: 'forge-token' }] }]);
    });
  });

  test('refuses one batch more than the line holds', async () => {
    await withPool({ threads: 1, queueLimit: 1 }, async (pool) => {
      const batches = [0, 1].map(() => pool.scan(batchOf(['x'])));
      expect((await refusalOf(pool.scan(batchOf(['x'])))).code).toBe('BUSY');
      await Promise.all(batches);
    });
  });

  test('two hundred times at once never aborts the process', { timeout: 240_000 }, async () => {
    const file = join(built.folder, 'close-at-once.mjs');
    await build({
      stdin: {
        contents: `import { openScanPool } from './src/pool/scan-pool.js';
const settings = JSON.parse(process.argv[2]);
for (let round = 0; round < 200; round += 1) await (await openScanPool(settings)).close();
await openScanPool(settings);
process.stdout.write('closed 200 times');
process.exit(0);`,
        resolveDir: root,
      },
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
    });
    const said = execFileSync(process.execPath, [file, JSON.stringify(settings())], { encoding: 'utf8' });
    expect(said).toBe('closed 200 times');
  });
});

describe('threads that were begun before their pool', () => {
  test('answer as the pool’s own first thread, and are its to end', async () => {
    const begun = beginScanThreads(settings());
    const pool = await openScanPool(settings({ threads: 1, startThreads: 1 }), begun);
    await begun.drop();
    const token = forgeToken(3);
    const { outcomes } = await pool.scan(batchOf([`key ${token}`]));
    expect(outcomes.map((outcome) => outcome.ok && outcome.findings.length)).toEqual([1]);
    await pool.close();
  });

  test('tell the pool that takes them what is wrong with them', async () => {
    const broken = settings({ tablesPath: join(rulesFolder, 'no-tables') });
    const refusal = await refusalOf(openScanPool(broken, beginScanThreads(broken)));
    expect(refusal.code).toBe('SCANNER_DEGRADED');
  });

  test('end where no pool takes them, loaded or not', async () => {
    const begun = Array.from({ length: 3 }, () => beginScanThreads(settings()));
    await Promise.all(begun.map((one) => one.drop()));
    const loaded = beginScanThreads(settings());
    expect(await loaded.take().first).toMatchObject({ ok: true });
    await loaded.take().threads.destroy();
  });
});
