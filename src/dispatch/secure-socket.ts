/**
 * TLS over an open socket. Verification cannot be turned off: the options say so in so many words, because defaults obey
 * `NODE_TLS_REJECT_UNAUTHORIZED`, and the result is looked at once more before anything is written.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { callFailure, faultCode } from './call-failure.js';
import type { SessionPlace } from './tls-sessions.js';

/** A handshake's failure: a certificate that is not accepted will not be accepted in five seconds either. */
interface HandshakeFacts {
  readonly certificate: boolean;
  readonly fault: string;
}

/**
 * The platform's roots with the files' added, or `undefined` for the platform's alone (which Node extends by
 * `NODE_EXTRA_CA_CERTS` itself). A file that cannot be read is `PROVIDER_TLS`.
 */
export const trustedRoots = async (files: readonly string[]): Promise<readonly string[] | undefined> =>
  files.length === 0 ? undefined : [...rootCertificates, ...readRoots(files)];

export type TrustedRoots = typeof trustedRoots;

const readRoots = (files: readonly string[]): readonly string[] =>
  files.map((file) => {
    try {
      return readPlainFile(file);
    } catch (error) {
      const fault = faultCode(error);
      throw callFailure('PROVIDER_TLS', `A certificate file cannot be read: ${fault}.`, { certificate: true, fault });
    }
  });

/** Without waiting: a call of the gate reads it in some microseconds, and a pipe in its place is no reason to stand still. */
const readPlainFile = (file: string): string => {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw Object.assign(new Error('no regular file'), { code: 'EINVAL' });
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
};

/** Lists that one program asks for at once; one a provider. */
const MOST_LISTS = 32;

/** The same for a program that makes many calls: files are read each time, and equal content gives the same list. */
export const rememberRoots = (): TrustedRoots => {
  const lists = new Map<string, readonly string[]>();
  return async (files) => {
    if (files.length === 0) return undefined;
    const added = readRoots(files);
    const key = added.join('\0');
    const known = lists.get(key);
    if (known !== undefined) return known;
    if (lists.size >= MOST_LISTS) lists.clear();
    const list = [...rootCertificates, ...added];
    lists.set(key, list);
    return list;
  };
};

/**
 * Shakes hands as `host`, HTTP/1.1, TLS 1.2 or newer. The socket is destroyed when it fails. `sessions` is where a session
 * of the same roots may be taken up and the next one kept.
 */
export const secureSocket = async (
  socket: Socket,
  host: string,
  roots: readonly string[] | undefined,
  signal: AbortSignal,
  sessions: SessionPlace | null = null,
): Promise<TLSSocket> => {
  const secured = startTls(socket, host, roots, sessions?.known());
  // Node tells of it once the certificate was verified; where a session was resumed, none was looked at.
  if (sessions !== null) secured.on('session', (session) => !secured.isSessionReused() && sessions.keep(session));
  const abort = (): void => {
    secured.destroy(new Error('aborted'));
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve);
      secured.once('error', reject);
      secured.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    });
    if (!secured.authorized) {
      throw Object.assign(new Error('not authorized'), { code: 'CERT_NOT_AUTHORIZED' });
    }
    return secured;
  } catch (error) {
    sessions?.drop();
    secured.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw handshakeFailure(
      error,
      host,
      secured.authorizationError !== null && secured.authorizationError !== undefined,
    );
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

const startTls = (
  socket: Socket,
  host: string,
  roots: readonly string[] | undefined,
  session: Buffer | undefined,
): TLSSocket => {
  try {
    return connectTls({
      socket,
      host,
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: true,
      secureContext: contextOf(roots),
      ALPNProtocols: ['http/1.1'],
      session,
    });
  } catch (error) {
    // A root that is no certificate is found here.
    socket.destroy();
    throw handshakeFailure(error, host, true);
  }
};

/** Contexts by their list of roots: reading some 150 certificates anew took 45 ms of every call. */
const contexts = new WeakMap<readonly string[], SecureContext>();

const contextOf = (roots: readonly string[] | undefined): SecureContext => {
  if (roots === undefined) return createSecureContext({ minVersion: 'TLSv1.2' });
  const known = contexts.get(roots);
  if (known !== undefined) return known;
  const context = createSecureContext({ minVersion: 'TLSv1.2', ca: [...roots] });
  contexts.set(roots, context);
  return context;
};

const handshakeFailure = (error: unknown, host: string, certificate: boolean): Error => {
  const fault = faultCode(error);
  const facts: HandshakeFacts = { certificate: certificate || /CERT|SIGNATURE|ISSUER|CRL/.test(fault), fault };
  return callFailure('PROVIDER_TLS', `${host}: ${fault}.`, { ...facts }, error);
};
