/**
 * A TCP connection, with the address that was judged in mind.
 *
 * A host on this machine is never looked up: `localhost` is 127.0.0.1, then ::1, and before the first byte the socket's
 * other end must be loopback. `resolve` changes where the socket goes, never how the host was judged.
 */
import { connect as connectTcp, isIPv4, type Socket } from 'node:net';
import { ColdsealError } from '../contract/error.js';
import type { ProviderSettings } from '../contract/route.js';
import { callFailure, faultCode } from './call-failure.js';
import { bareHost } from './proxy.js';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Node tries each address of a name for this long before the next; its default of 250 ms loses far hosts. */
const ATTEMPT_MS = 2_500;

/** The socket to a provider without a proxy. `onConnected` is called as soon as the provider's machine accepted. */
export const openProviderSocket = async (
  provider: ProviderSettings,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<Socket> => {
  const { endpoint } = provider;
  const localhost = endpoint.host.toLowerCase() === 'localhost';
  const hosts = localhost ? ['127.0.0.1', '::1'] : [bareHost(endpoint.host)];
  const addresses = endpoint.remote ? [mappedAddress(provider)] : hosts.map((host) => ({ host, port: endpoint.port }));
  const socket = await firstThatAnswers(addresses, signal, onConnected);
  onConnected();
  if (!endpoint.remote && !isLoopback(socket.remoteAddress)) {
    socket.destroy();
    throw callFailure(
      'PROVIDER_UNREACHABLE',
      `${endpoint.host} stands for this machine, but the connection ended elsewhere; it was closed.`,
      { elsewhere: true },
    );
  }
  return socket;
};

/** Connects, or fails with `PROVIDER_UNREACHABLE` naming the address and the machine's word for the fault. */
export const openSocket = async (address: Address, signal: AbortSignal): Promise<Socket> => {
  signal.throwIfAborted();
  const socket = connectTcp({
    host: address.host,
    port: address.port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  });
  const abort = (): void => {
    socket.destroy(new Error('aborted'));
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } catch (error) {
    signal.throwIfAborted();
    const fault = faultCode(error);
    throw callFailure('PROVIDER_UNREACHABLE', `${address.host} port ${address.port}: ${fault}.`, { fault }, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** 127.0.0.0/8, ::1, and the first mapped into IPv6. */
export const isLoopback = (address: string | undefined): boolean => {
  if (address === undefined) {
    return false;
  }
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return address === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
};

/** The address the owner's `resolve` gives for the host, else host and port as they are. */
const mappedAddress = ({ endpoint, resolve }: ProviderSettings): Address => {
  const name = bareHost(endpoint.host);
  const entry = Object.entries(resolve).find(([host]) => bareHost(host).toLowerCase() === name.toLowerCase());
  if (entry === undefined) {
    return { host: name, port: endpoint.port };
  }
  const parts = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry[1]);
  const host = parts?.[1] ?? parts?.[2];
  return host === undefined
    ? { host: entry[1], port: endpoint.port }
    : { host, port: parts?.[3] === undefined ? endpoint.port : Number(parts[3]) };
};

const firstThatAnswers = async (
  addresses: readonly Address[],
  signal: AbortSignal,
  onConnected: () => void,
): Promise<Socket> => {
  let first: unknown;
  for (const address of addresses) {
    try {
      return await openSocket(address, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ColdsealError && error.facts['fault'] === 'ECONNRESET') {
        // Only what was open can be reset: somebody there accepted before the news of it came up.
        onConnected();
      }
      first ??= error;
    }
  }
  throw first;
};
