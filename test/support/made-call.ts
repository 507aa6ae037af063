/** Calls to a sandbox with the real transport, and the small limits that tests run them under. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderSettings } from '../../src/contract/route.js';
import type { SendRequest } from '../../src/contract/transport.js';
import { createHttpTransport, type HttpTransportOptions } from '../../src/dispatch/http-transport.js';
import type { TimeLimits } from '../../src/dispatch/time-limits.js';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { madeBundle } from './made-bundle.js';

/** Far above what a loaded machine needs, so that only the limit under test runs out. */
export const WIDE_LIMITS: TimeLimits = {
  connectMs: 20_000,
  firstByteMs: 20_000,
  idleMs: 20_000,
  eventMs: 20_000,
  errorBodyMs: 20_000,
};

/** A value that looks like nothing and stands in no file. */
export const madeCredential = (): string => randomBytes(24).toString('base64url');

/** Waits between tries take no time; every other sleep is real. */
export const realSleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await pause(ms, undefined, { signal });
};

export const providerOf = (sandbox: Sandbox, changes: Partial<ProviderSettings> = {}): ProviderSettings => {
  const url = new URL(sandbox.baseUrl);
  const remote = url.protocol === 'https:';
  return {
    name: 'sandbox',
    endpoint: {
      baseUrl: sandbox.baseUrl,
      host: url.hostname,
      port: url.port === '' ? 443 : Number(url.port),
      remote,
    },
    credential: null,
    models: [sandbox.model],
    resolve: remote ? { [sandbox.name]: sandbox.address } : {},
    caFile: sandbox.caFile,
    totalTimeoutMs: 60_000,
    settings: {},
    maxPromptTokens: null,
    usageChunk: true,
    spawn: null,
    ...changes,
  };
};

export const requestOf = (provider: ProviderSettings, changes: Partial<SendRequest> = {}): SendRequest => ({
  provider,
  model: provider.models[0] ?? 'summary-1',
  brief: { kind: 'sealed', bundle: madeBundle('one line\nand "another" \\ one\n') },
  settings: {},
  credential: null,
  denylist: [],
  beforeConnect: async () => undefined,
  signal: new AbortController().signal,
  ...changes,
});

export const transportOf = (changes: Partial<HttpTransportOptions> = {}) =>
  createHttpTransport({
    proxy: { httpsProxy: null, noProxy: null },
    extraCaFile: null,
    clock: () => performance.now(),
    sleep: realSleep,
    random: () => 0,
    limits: WIDE_LIMITS,
    ...changes,
  });
