/** One fresh line to the provider: a socket, through a proxy or not, under TLS or not, for one call and no other. */
import type { Socket } from 'node:net';
import type { ProviderSettings } from '../contract/route.js';
import { openTunnel, type Tunnel } from './connect-tunnel.js';
import { openProviderSocket } from './open-socket.js';
import { bareHost, type ProxyServer } from './proxy.js';
import { secureSocket } from './secure-socket.js';
import type { TlsSessions } from './tls-sessions.js';

export interface LinePlan {
  readonly provider: ProviderSettings;
  readonly proxy: ProxyServer | null;
  /** Extra roots with the platform's, or `undefined` for the platform's alone. */
  readonly roots: readonly string[] | undefined;
  /** Of a program that makes many calls. */
  readonly sessions?: TlsSessions;
}

/** An open line; whoever asked for it owns it. */
export interface Line {
  /** What is written to: TLS where there is TLS. */
  readonly socket: Socket;
  /** Ends the TCP connection at once with a reset, so that what is queued in this machine's kernel is dropped instead of sent. */
  reset(): void;
}

/**
 * `onConnected` is called once the provider itself, not only a proxy, accepted a connection. Fails with
 * `PROVIDER_UNREACHABLE` or `PROVIDER_TLS`, or with the signal's reason; nothing was written to the provider.
 */
export const openLine = async (plan: LinePlan, signal: AbortSignal, onConnected: () => void): Promise<Line> => {
  const { endpoint } = plan.provider;
  const { tcp, socket: plain } = await openPlain(plan, signal, onConnected);
  const secure = endpoint.baseUrl.toLowerCase().startsWith('https:');
  const host = bareHost(endpoint.host);
  const sessions = plan.sessions?.(plan.roots, `${host}:${endpoint.port}`) ?? null;
  const socket = secure ? await secureSocket(plain, host, plan.roots, signal, sessions) : plain;
  return {
    socket,
    reset: () => {
      tcp.resetAndDestroy();
    },
  };
};

const openPlain = async (plan: LinePlan, signal: AbortSignal, onConnected: () => void): Promise<Tunnel> => {
  if (plan.proxy === null) {
    const socket = await openProviderSocket(plan.provider, signal, onConnected);
    return { tcp: socket, socket };
  }
  const { host, port } = plan.provider.endpoint;
  const tunnel = await openTunnel(plan.proxy, `${host}:${port}`, plan.roots, signal);
  onConnected();
  return tunnel;
};
