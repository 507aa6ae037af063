import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { secureSocket } from '../../src/dispatch/secure-socket.js';
import { rememberSessions, type TlsSessions } from '../../src/dispatch/tls-sessions.js';
import { type Certificate, makeCertificate } from '../../src/sandbox/certificate.js';

const NAME = 'models.example.com';
const servers: Server[] = [];

/** Says one byte, so that whoever read it has the tickets that were sent before. */
const listen = async ({ certificate, key }: Certificate, port = 0, maxVersion?: 'TLSv1.2'): Promise<number> => {
  const options = { cert: certificate, key, ...(maxVersion === undefined ? {} : { maxVersion }) };
  const server = createServer(options, (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    socket.end('.');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
};

const stop = async (server: Server | undefined): Promise<void> => {
  if (server === undefined) return;
  server.close();
  await once(server, 'close');
};

afterEach(async () => {
  while (servers.length > 0) await stop(servers.pop());
});

interface Shaken {
  readonly isResumed: boolean;
  readonly isAuthorized: boolean;
}

const shake = async (port: number, roots: readonly string[], sessions: TlsSessions | null): Promise<Shaken> => {
  const plain = connect(port, '127.0.0.1');
  await once(plain, 'connect');
  const place = sessions?.(roots, `${NAME}:${port}`) ?? null;
  const socket = await secureSocket(plain, NAME, roots, new AbortController().signal, place);
  const shaken = { isResumed: socket.isSessionReused(), isAuthorized: socket.authorized };
  socket.resume();
  await once(socket, 'close');
  return shaken;
};

describe('TLS sessions', { timeout: 60_000 }, () => {
  it.each([['1.3', undefined] as const, ['1.2', 'TLSv1.2'] as const])(
    'are resumed by the next connection to the same place, and it is as verified as the first (TLS %s)',
    async (_version, maxVersion) => {
      const made = await makeCertificate(NAME);
      const port = await listen(made, 0, maxVersion);
      const roots = [made.certificate];
      const sessions = rememberSessions(() => 0);
      expect(await shake(port, roots, sessions)).toEqual({ isResumed: false, isAuthorized: true });
      expect(await shake(port, roots, sessions)).toEqual({ isResumed: true, isAuthorized: true });
      expect(await shake(port, roots, sessions)).toEqual({ isResumed: true, isAuthorized: true });
      expect(await shake(port, roots, null)).toEqual({ isResumed: false, isAuthorized: true });
    },
  );

  it('are good for the roots that they were verified with and no other', async () => {
    const made = await makeCertificate(NAME);
    const port = await listen(made);
    const sessions = rememberSessions(() => 0);
    await shake(port, [made.certificate], sessions);
    const others = [(await makeCertificate(NAME)).certificate];
    await expect(shake(port, others, sessions)).rejects.toMatchObject({ code: 'PROVIDER_TLS' });
    const more = [made.certificate, ...others];
    expect(await shake(port, more, sessions)).toEqual({ isResumed: false, isAuthorized: true });
  });

  it('age from the last look at a certificate, however often they are resumed', async () => {
    const made = await makeCertificate(NAME);
    const port = await listen(made);
    const roots = [made.certificate];
    let nowMs = 0;
    const sessions = rememberSessions(() => nowMs);
    const isResumed: boolean[] = [];
    for (const minute of [0, 4, 8, 12, 16]) {
      nowMs = minute * 60_000;
      isResumed.push((await shake(port, roots, sessions)).isResumed);
    }
    expect(isResumed).toEqual([false, true, true, false, true]);
  });

  it('do not let another server in that took the place of the first', async () => {
    const made = await makeCertificate(NAME);
    const port = await listen(made);
    const roots = [made.certificate];
    const sessions = rememberSessions(() => 0);
    await shake(port, roots, sessions);
    await stop(servers.pop());
    await listen(await makeCertificate(NAME), port);
    await expect(shake(port, roots, sessions)).rejects.toMatchObject({ code: 'PROVIDER_TLS' });
    await expect(shake(port, roots, sessions)).rejects.toMatchObject({ code: 'PROVIDER_TLS' });
  });

  it('are used for ten minutes at most, and never kept of a server that was refused', async () => {
    let nowMs = 0;
    const sessions = rememberSessions(() => nowMs);
    const place = sessions(undefined, 'a:443');
    place.keep(Buffer.from('one'));
    expect(sessions(undefined, 'b:443').known()).toBeUndefined();
    nowMs = 10 * 60_000;
    expect(place.known()?.toString()).toBe('one');
    nowMs += 1;
    expect(place.known()).toBeUndefined();
    place.keep(Buffer.from('two'));
    place.drop();
    expect(place.known()).toBeUndefined();

    const port = await listen(await makeCertificate(NAME));
    const strangers = [(await makeCertificate(NAME)).certificate];
    await expect(shake(port, strangers, sessions)).rejects.toMatchObject({ code: 'PROVIDER_TLS' });
    expect(sessions(strangers, `${NAME}:${port}`).known()).toBeUndefined();
  });
});
