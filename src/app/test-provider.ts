/**
 * The probe of one provider that a person asked for by name. Its key travels, so a provider that changed since it was
 * consented to is refused like a send; one that nothing was sent to yet may be tried, and is not pinned by it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveCredential } from '../config/resolve-credential.js';
import { CODES, isProviderFailure, isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { ProviderSettings } from '../contract/route.js';
import { proxySettings } from '../dispatch/proxy.js';
import { namedProvider, needsConsent, requireConsent } from './consent.js';
import { readMachineSettings } from './read-settings-here.js';
import type { Surroundings } from './surroundings.js';

export interface TestedProvider {
  readonly exit: number;
  readonly document: {
    readonly outcome: 'reached' | 'provider_failed';
    readonly code?: string;
    readonly message?: string;
    readonly provider: string;
    readonly host: string;
    readonly remote: boolean;
    readonly proxy: string | null;
    readonly connected_ms: number | null;
    readonly open_ms: number | null;
    readonly answered_ms: number | null;
    /** What the provider lists; `null` where it has no list. */
    readonly models: readonly string[] | null;
    /** Models of the machine file that the provider does not list. */
    readonly unlisted: readonly string[];
  };
}

/** `PROVIDER_UNKNOWN`, `CONSENT_CHANGED`, `CREDENTIAL_MISSING`. */
export const testProvider = async (surroundings: Surroundings, name: string): Promise<TestedProvider> => {
  const { environment, uid, monotonicMs, signal } = surroundings;
  const { settings } = await readMachineSettings(surroundings);
  const provider = namedProvider(name, settings);
  const { endpoint } = provider;
  if (needsConsent(provider)) await requireConsent(provider, settings, surroundings);
  if (provider.spawn !== null) return testProgram(surroundings, provider);
  const credential =
    provider.credential === null ? null : await resolveCredential(provider.credential, { settings, environment, uid });
  const { probeProvider } = await import('../dispatch/probe-provider.js');
  const { failure, models, proxy, connectedMs, openMs, answeredMs } = await probeProvider({
    provider,
    credential,
    proxy: proxySettings(environment),
    extraCaFile: environment['NODE_EXTRA_CA_CERTS'] ?? null,
    clock: monotonicMs,
    sleep: (ms, until) => sleep(ms, undefined, { signal: until }),
    signal,
  });
  if (failure !== null && (failure.code === 'INTERNAL' || isRefusal(failure.code))) throw failure;
  return {
    exit: failure === null ? 0 : CODES[failure.code].exit,
    document: {
      outcome: failure === null ? 'reached' : 'provider_failed',
      ...(failure === null ? {} : { code: failure.code, message: failure.message }),
      provider: name,
      host: endpoint.host,
      remote: endpoint.remote,
      proxy,
      connected_ms: connectedMs,
      open_ms: openMs,
      answered_ms: answeredMs,
      models,
      unlisted: models === null ? [] : provider.models.filter((model) => !models.includes(model)),
    },
  };
};

/** A program is looked at and not started: what it does without a bundle is its own. */
const testProgram = async (
  { uid, folder }: Surroundings,
  { name, spawn, endpoint, models }: ProviderSettings,
): Promise<TestedProvider> => {
  const shared = {
    provider: name,
    host: endpoint.host,
    remote: endpoint.remote,
    proxy: null,
    connected_ms: null,
    open_ms: null,
    answered_ms: null,
    models,
    unlisted: [],
  };
  const { requireProgram } = await import('../dispatch/spawn-program.js');
  try {
    if (spawn !== null) await requireProgram(spawn, { uid, workTree: folder });
    return { exit: 0, document: { outcome: 'reached', ...shared } };
  } catch (failure) {
    if (!(failure instanceof ColdsealError) || !isProviderFailure(failure.code)) throw failure;
    const { code, message } = failure;
    return { exit: CODES[code].exit, document: { outcome: 'provider_failed', code, message, ...shared, models: null } };
  }
};
