/**
 * The life of a service: opened, listening, draining, closed. The token file is there before the first connection is taken
 * and gone after the last one.
 */
import { readFile } from 'node:fs/promises';
import type { DestinationStream } from 'pino';
import { openService } from '../app/service/open-service.js';
import type { Listener } from '../app/service/service-context.js';
import { drawToken, readOwnersToken, type ServiceToken } from '../app/service/service-token.js';
import type { Surroundings } from '../app/surroundings.js';
import { ColdsealError } from '../contract/error.js';
import type { JobQueue } from '../contract/job-queue.js';
import type { ListenAddress, ServiceSettings, Settings } from '../contract/settings.js';
import { chooseAddress } from './listen-address.js';
import { listenOnSocket, removeSocket } from './listen-socket.js';
import { openServer, REQUEST_LIMITS, type RequestLimits } from './open-server.js';
import type { ServiceServer } from './route-group.js';

export interface StartWords {
  readonly surroundings: Surroundings;
  /** `--listen`, or `null` for what the machine file says. */
  readonly listen: ListenAddress | null;
  readonly mostRuns: number;
  /** Where runs are done elsewhere; whoever opened it closes it. */
  readonly queue?: JobQueue;
  readonly logLevel: 'info' | 'debug' | 'silent';
  readonly logDestination?: DestinationStream;
  readonly limits?: RequestLimits;
}

export interface RunningService {
  /** `http://127.0.0.1:<port>`, or `unix:` and the path. */
  readonly url: string;
  readonly tokenFile: string;
  /** Takes no more, lets runs end for that long, ends the rest, closes. */
  close(graceMs: number): Promise<void>;
}

const TOKEN_BYTES = 32;
const REQUEST_ID_BYTES = 9;
/** What still answers when every run has ended gets this long. */
const LAST_ANSWERS_MS = 2000;

/** `CONFIG_*`, `USAGE` for an address that is taken, `SCANNER_DEGRADED`. */
export const startService = async (words: StartWords): Promise<RunningService> => {
  const { surroundings, mostRuns, logLevel, logDestination } = words;
  const { random } = surroundings;
  const log = { level: logLevel, ...(logDestination === undefined ? {} : { destination: logDestination }) };
  const {
    context,
    setListener,
    close: closeThreads,
  } = await openService({ surroundings, mostRuns, queue: words.queue ?? null, log });
  // In the order they were opened; closed from the last to the first.
  const opened: (() => Promise<unknown>)[] = [closeThreads];
  // All of it, whatever fails: a thread that stays open would keep the process.
  const closeAll = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const close of opened.splice(0).reverse()) {
      try {
        await close();
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 0) throw faults[0];
  };
  try {
    const settings = await context.readSettings();
    const { service } = settings.own;
    const address = chooseAddress(words.listen, service);
    const tls = address.kind === 'tcp' ? await readTls(service) : null;
    // Nobody knows this one: nothing is let in before the file with the token is there.
    let token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
    const server = await openServer({
      context,
      door: { token: () => token, allowHosts: service.allowHosts, listener: context.listener },
      tls,
      limits: words.limits ?? REQUEST_LIMITS,
      newRequestId: () => `req-${Buffer.from(random(REQUEST_ID_BYTES)).toString('base64url')}`,
    });
    opened.push(() => closeServer(server));
    const listener = await listen(server, address, tls !== null);
    if (listener.kind === 'socket') opened.push(() => removeSocket(listener.path));
    const held = await holdToken(settings, listener, surroundings);
    opened.push(() => held.remove());
    token = held.token;
    setListener(listener);
    return {
      url: urlOf(listener),
      tokenFile: held.file,
      close: async (graceMs) => {
        const ended = await Promise.allSettled([context.desk.close(graceMs), context.gate.close(graceMs)]);
        await closeAll();
        for (const one of ended) if (one.status === 'rejected') throw one.reason;
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
};

const readTls = async ({ tls }: ServiceSettings): Promise<{ readonly cert: Buffer; readonly key: Buffer } | null> => {
  if (tls === null) return null;
  try {
    return { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) };
  } catch (cause) {
    throw new ColdsealError('CONFIG_UNSAFE', 'a file of coldseal.service.tls cannot be read', { cause });
  }
};

const listen = async (server: ServiceServer, address: ListenAddress, isTls: boolean): Promise<Listener> => {
  if (address.kind === 'socket') {
    await listenOnSocket(server, address.path);
    return address;
  }
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw new ColdsealError('USAGE', `${address.host} port ${address.port} cannot be listened on; name another`, {
      cause,
    });
  }
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return { kind: 'tcp', host: address.host, port, isTls };
};

const holdToken = (
  { machineFolder, own }: Settings,
  listener: Listener,
  { uid, random }: Surroundings,
): Promise<ServiceToken> => {
  if (own.service.tokenFile !== null) return readOwnersToken(own.service.tokenFile, uid);
  const name = listener.kind === 'socket' ? listener.path : `${listener.host}_${listener.port}`;
  return drawToken(machineFolder, name, random);
};

const urlOf = (listener: Listener): string => {
  if (listener.kind === 'socket') return `unix:${listener.path}`;
  const host = listener.host.includes(':') ? `[${listener.host}]` : listener.host;
  return `${listener.isTls ? 'https' : 'http'}://${host}:${listener.port}`;
};

const closeServer = async (server: ServiceServer): Promise<void> => {
  const timer = setTimeout(() => server.server.closeAllConnections(), LAST_ANSWERS_MS);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
};
