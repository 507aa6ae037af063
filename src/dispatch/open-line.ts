/** One fresh line to the provider: a socket, through a proxy or not, under TLS or not, for one call and no other. */
import type { Socket } from 'node:net';
import type { ProviderSettings } from '../contract/route.js';
import { openTunnel } from './connect-tunnel.js';
import { openProviderSocket } from './open-socket.js';
import { bareHost, type ProxyServer } from './proxy.js';
import { secureSocket } from './secure-socket.js';

export interface LinePlan {
  readonly provider: ProviderSettings;
  readonly proxy: ProxyServer | null;
  /** Extra roots with the platform's, or `undefined` for the platform's alone. */
  readonly roots: readonly string[] | undefined;
}

/**
 * `onConnected` is called once the provider itself, not only a proxy, accepted a connection. The caller owns the socket.
 * Fails with `PROVIDER_UNREACHABLE` or `PROVIDER_TLS`, or with the signal's reason; nothing was written to the provider.
 */
export const openLine = async (plan: LinePlan, signal: AbortSignal, onConnected: () => void): Promise<Socket> => {
  const { endpoint } = plan.provider;
  const socket = await openPlain(plan, signal, onConnected);
  if (!endpoint.baseUrl.toLowerCase().startsWith('https:')) {
    return socket;
  }
  return secureSocket(socket, bareHost(endpoint.host), plan.roots, signal);
};

const openPlain = async (plan: LinePlan, signal: AbortSignal, onConnected: () => void): Promise<Socket> => {
  if (plan.proxy === null) {
    return openProviderSocket(plan.provider, signal, onConnected);
  }
  const { host, port } = plan.provider.endpoint;
  const tunnel = await openTunnel(plan.proxy, `${host}:${port}`, plan.roots, signal);
  onConnected();
  return tunnel;
};
