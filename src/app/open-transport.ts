/** The HTTP transport of this process. Loaded when something is sent: a plan or a scan never needs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../contract/route.js';
import type { Transport } from '../contract/transport.js';
import { proxyFor, proxySettings } from '../dispatch/proxy.js';
import type { Surroundings } from './surroundings.js';

export const openTransport = async ({ environment, monotonicMs }: Surroundings): Promise<Transport> => {
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
  try {
    return proxyFor(endpoint, proxySettings(environment))?.shown ?? null;
  } catch {
    // A setting that cannot be used is the call's own failure; it is told there.
    return null;
  }
};
