/** The transport to one provider, over HTTP or to a program. Loaded when something is sent: a plan never needs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, ProviderSettings } from '../contract/route.js';
import type { Transport } from '../contract/transport.js';
import { proxyFor, proxySettings } from '../dispatch/proxy.js';
import type { Surroundings } from './surroundings.js';

/** `workTree` is the checkout that the send is about: no program of it is started. */
export const openTransport = async (
  { environment, monotonicMs, uid, homeFolder, accountHome, accountName }: Surroundings,
  provider: ProviderSettings,
  workTree: string | null,
): Promise<Transport> => {
  if (provider.spawn !== null) {
    const { createSpawnTransport } = await import('../dispatch/spawn-transport.js');
    return createSpawnTransport({
      uid,
      workTree,
      homeFolder: homeFolder ?? accountHome,
      accountName,
      clock: monotonicMs,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
  }
  const { createHttpTransport } = await import('../dispatch/http-transport.js');
  return createHttpTransport({
    proxy: proxySettings(environment),
    extraCaFile: environment['NODE_EXTRA_CA_CERTS'] ?? null,
    clock: monotonicMs,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    random: Math.random,
  });
};

/** The proxy that a call to the endpoint goes through, without its credentials; `null` for a direct call. */
export const proxyShown = async (endpoint: Endpoint, { environment }: Surroundings): Promise<string | null> => {
  if (endpoint.baseUrl.startsWith('spawn:')) return null;
  try {
    return proxyFor(endpoint, proxySettings(environment))?.shown ?? null;
  } catch {
    // A setting that cannot be used is the call's own failure; it is told there.
    return null;
  }
};
