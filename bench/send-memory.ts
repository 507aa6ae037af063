/**
 * Program: memory of a send. `node send-memory.js [MIB]` sends a sealed bundle of that size (200) over TLS to the sandbox,
 * from a process of its own whose memory is read from the kernel's own account.
 *
 * Three questions: how far a send goes above the idle process and the bundle itself; whether a provider that reads 1 MB a
 * second holds the sender back instead of filling its memory; how soon the connection is gone once the call is called off.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { blank } from '../src/bundle/blank.js';
import { seal } from '../src/bundle/seal.js';
import { LARGEST_CAP_BYTES, type SealedBundle } from '../src/contract/bundle.js';
import { judgeEndpoint } from '../src/contract/judge-endpoint.js';
import { createHttpTransport } from '../src/dispatch/http-transport.js';
import { readScript } from '../src/sandbox/script.js';
import { type Sandbox, startSandbox } from '../src/sandbox/start-sandbox.js';

const MIB = 1024 * 1024;
const MOST_ABOVE_BYTES = 300_000_000;
const MOST_ABORT_MS = 100;
const SLOW_BYTES_PER_SECOND = 1_000_000;
const SLOW_SECONDS = 10;

interface Sent {
  readonly baseUrl: string;
  readonly resolve: Readonly<Record<string, string>>;
  readonly caFile: string | null;
  readonly model: string;
  readonly bytes: number;
}

/** What the sending process tells: its memory before there was a bundle, at its highest, and how the call ended. */
interface Account {
  readonly idleBytes: number;
  readonly peakBytes: number;
  readonly outcome: string;
  /** From the abort until the kernel knows no such connection; `null` when nothing was called off. */
  readonly goneAfterMs: number | null;
}

/** A figure of the kernel's account of this process, in bytes. */
const statusBytes = (name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN) * 1024;

/** Connections of this machine to the port, by the kernel's own table. */
const connectionsTo = (port: number): number => {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1);
  return lines.filter((line) =>
    line
      .slice(line.indexOf(':') + 1)
      .trim()
      .split(' ')[1]
      ?.concat(' ')
      .endsWith(wanted),
  ).length;
};

const bundleOf = (bytes: number): SealedBundle => {
  const line = '  const total = items.reduce((sum, item) => sum + item.bytes, 0); // "é"\n';
  const part = Buffer.from(line.repeat(Math.floor(MIB / Buffer.byteLength(line))));
  const rest = Buffer.alloc(bytes % part.length, '.');
  // The same part again and again: a second copy of the whole would be counted as the send's.
  const parts = [...Array.from({ length: Math.floor(bytes / part.length) }, () => part), rest];
  return seal(
    {
      kind: 'change_review',
      listOrigin: 'compiled',
      project: null,
      range: null,
      items: [],
      deleted: [],
      deletedBlanked: [],
      bytes,
      rawBytes: bytes,
      cap: { bytes: LARGEST_CAP_BYTES, origin: 'machine', key: 'oracle.bundles.cap' },
      blanked: [],
      unscannedAtAssembly: null,
      scannedNow: null,
    },
    { message: blank(parts, new Map()).bytes, system: blank([Buffer.from('You review.')], new Map()).bytes },
  );
};

/** The sending process. */
const sendOnce = async (sent: Sent): Promise<Account> => {
  const transport = createHttpTransport({
    proxy: { httpsProxy: null, noProxy: null },
    extraCaFile: null,
    clock: () => performance.now(),
    sleep: (ms, signal) => pause(ms, undefined, { signal }),
    random: Math.random,
  });
  const judged = judgeEndpoint(sent.baseUrl);
  if (!judged.ok) throw new Error(judged.reason);
  globalThis.gc?.();
  const idleBytes = statusBytes('VmRSS');
  const caller = new AbortController();
  let gone: Promise<number> | null = null;
  process.on('message', () => {
    const port = Number(Object.values(sent.resolve)[0]?.split(':')[1]);
    if (connectionsTo(port) === 0) throw new Error('there is no connection to call off');
    const abortedAt = performance.now();
    caller.abort(new Error('called off'));
    gone = goneFrom(port, abortedAt);
  });
  const outcome = await transport
    .send({
      provider: {
        name: 'sandbox',
        endpoint: judged.endpoint,
        credential: null,
        models: [sent.model],
        resolve: sent.resolve,
        caFile: sent.caFile,
        totalTimeoutMs: 1_800_000,
        settings: {},
        maxPromptTokens: null,
        usageChunk: true,
        spawn: null,
      },
      model: sent.model,
      brief: { kind: 'sealed', bundle: bundleOf(sent.bytes) },
      settings: {},
      credential: null,
      denylist: [],
      beforeConnect: () => Promise.resolve(),
      signal: caller.signal,
    })
    .then(
      (answer) => (answer.ok ? 'answered' : answer.code),
      (error: unknown) => (error instanceof Error ? error.message : 'failed'),
    );
  return { idleBytes, peakBytes: statusBytes('VmHWM'), outcome, goneAfterMs: await gone };
};

const goneFrom = async (port: number, fromMs: number): Promise<number> => {
  while (connectionsTo(port) > 0) await pause(1);
  return performance.now() - fromMs;
};

const startSender = (sandbox: Sandbox, bytes: number): { child: ChildProcess; account: Promise<Account> } => {
  const child = fork(fileURLToPath(import.meta.url), ['--sender'], { execArgv: ['--expose-gc'] });
  const account = new Promise<Account>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Account));
    child.once('exit', (code) => reject(new Error(`the sender ended with ${code}`)));
  });
  child.send({
    baseUrl: sandbox.baseUrl,
    resolve: { [sandbox.name]: sandbox.address },
    caFile: sandbox.caFile,
    model: sandbox.model,
    bytes,
  } satisfies Sent);
  return { child, account };
};

const aboveOf = ({ peakBytes, idleBytes }: Account, bundleBytes: number): number => peakBytes - idleBytes - bundleBytes;

const measureWhole = async (sandbox: Sandbox, bytes: number) => {
  const began = performance.now();
  const account = await startSender(sandbox, bytes).account;
  const seconds = (performance.now() - began) / 1000;
  const received = sandbox.requests().at(-1)?.summary.bodyBytes ?? 0;
  const above = aboveOf(account, bytes);
  return {
    outcome: account.outcome,
    received_bytes: received,
    seconds: Number(seconds.toFixed(1)),
    idle_rss_mb: Math.round(account.idleBytes / 1e6),
    peak_rss_mb: Math.round(account.peakBytes / 1e6),
    above_idle_and_bundle_mb: Math.round(above / 1e6),
    holds: account.outcome === 'answered' && received > bytes && above < MOST_ABOVE_BYTES,
  };
};

const measureSlow = async (sandbox: Sandbox, bytes: number) => {
  sandbox.play(readScript({ replies: [{ read: { bytesPerSecond: SLOW_BYTES_PER_SECOND } }] }));
  const before = sandbox.bodyBytes();
  const { child, account } = startSender(sandbox, bytes);
  while (sandbox.bodyBytes() === before) await pause(5);
  await pause(SLOW_SECONDS * 1000);
  const received = sandbox.bodyBytes() - before;
  child.send('call it off');
  const told = await account;
  const above = aboveOf(told, bytes);
  const abortMs = Math.round(told.goneAfterMs ?? Number.POSITIVE_INFINITY);
  return {
    outcome: told.outcome,
    read_seconds: SLOW_SECONDS,
    received_mb: Number((received / 1e6).toFixed(1)),
    above_idle_and_bundle_mb: Math.round(above / 1e6),
    gone_after_abort_ms: abortMs,
    holds:
      told.outcome === 'called off' &&
      received < 2 * SLOW_SECONDS * SLOW_BYTES_PER_SECOND &&
      above < MOST_ABOVE_BYTES &&
      abortMs <= MOST_ABORT_MS,
  };
};

const main = async (mib: number): Promise<void> => {
  const sandbox = await startSandbox({ tls: true });
  try {
    const whole = await measureWhole(sandbox, mib * MIB);
    const slow = await measureSlow(sandbox, mib * MIB);
    const report = { node: process.version, bundle_mib: mib, whole, slow };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    process.exitCode = whole.holds && slow.holds ? 0 : 1;
  } finally {
    await sandbox.close();
  }
};

if (process.argv[2] === '--sender') {
  process.once('message', (message) => {
    void sendOnce(message as Sent).then((account) => {
      process.send?.(account, () => process.exit(0));
    });
  });
} else {
  await main(Number(process.argv[2] ?? '200'));
}
