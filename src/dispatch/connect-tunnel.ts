/**
 * CONNECT through a proxy: https only, the provider's name travels in the request line, the proxy never sees the bundle.
 *
 * Written out rather than taken from a library: the answer is one short head, and everything but a 2xx must end the call
 * before a byte of the bundle was near the wire.
 */
import type { Socket } from 'node:net';
import { callFailure, faultCode } from './call-failure.js';
import { openSocket } from './open-socket.js';
import type { ProxyServer } from './proxy.js';
import { secureSocket } from './secure-socket.js';

const HEAD_END = '\r\n\r\n';
const MOST_HEAD_BYTES = 16 * 1024;

export interface Tunnel {
  /** The TCP socket at the bottom. */
  readonly tcp: Socket;
  /** What leads to the target; the same one where the proxy is not under TLS. */
  readonly socket: Socket;
}

/** A socket that ends at `target` (`host:port`). Anything but a 2xx answer is `PROVIDER_UNREACHABLE`. */
export const openTunnel = async (
  proxy: ProxyServer,
  target: string,
  roots: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Tunnel> => {
  const plain = await openSocket(proxy, signal);
  const socket = proxy.secure ? await secureSocket(plain, proxy.host, roots, signal) : plain;
  const authorization = proxy.authorization === null ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  let head: string;
  try {
    head = await readHead(socket, signal);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    const fault = faultCode(error);
    throw callFailure('PROVIDER_UNREACHABLE', `The proxy ${proxy.shown} closed the connection: ${fault}.`, { fault });
  }
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
  if (!head.endsWith(HEAD_END) || !(status >= 200 && status < 300)) {
    socket.destroy();
    const said = Number.isNaN(status) ? 'something that is not HTTP' : `status ${status}`;
    throw callFailure(
      'PROVIDER_UNREACHABLE',
      `The proxy ${proxy.shown} did not open a tunnel to ${target}: it answered ${said}. Correct HTTPS_PROXY, or name the host in NO_PROXY.`,
      { proxy_status: Number.isNaN(status) ? null : status },
    );
  }
  return { tcp: plain, socket };
};

/** Reads exactly the head; bytes after it are put in the text too, so that a proxy that talks on is refused. */
const readHead = (socket: Socket, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    let head = '';
    const settle = (end: () => void): void => {
      socket.off('readable', read).off('error', fail).off('close', close);
      signal.removeEventListener('abort', abort);
      end();
    };
    const read = (): void => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        head += chunk.toString('latin1');
      }
      if (head.includes(HEAD_END) || head.length > MOST_HEAD_BYTES) {
        settle(() => resolve(head));
      }
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const close = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const abort = (): void => fail(new Error('aborted'));
    socket.on('readable', read).once('error', fail).once('close', close);
    signal.addEventListener('abort', abort, { once: true });
  });
