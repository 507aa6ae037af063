/**
 * An OpenAI-compatible provider on loopback, over real HTTP and TLS, that answers with what it was sent.
 *
 * It is also the tests' scripted provider: every connection is counted when TCP accepts it, before TLS, so a call that
 * must not be made can be shown not to have been.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, makeCertificate } from './certificate.js';
import { guessChatRequest, readChatRequest } from './chat-request.js';
import { machineFragment, SANDBOX_MODEL } from './machine-fragment.js';
import { playReply } from './play-reply.js';
import { type ReadRequest, readRequest } from './read-request.js';
import type { RequestSummary } from './request-summary.js';
import { PLAIN_REPLY, type Reply, type SandboxScript } from './script.js';

export interface SandboxOptions {
  readonly tls: boolean;
  /** 0 or left out: one that is free. */
  readonly port?: number | undefined;
  readonly script?: SandboxScript | undefined;
  /** Called when a request was read as far as its script says. */
  readonly onRequest?: ((request: ReceivedRequest) => void) | undefined;
  /** Keep bodies of any size in memory; otherwise only those of up to 8 MiB. */
  readonly keepBodies?: boolean | undefined;
  /** Also write each body to `request-N.json` in this folder, which must exist. */
  readonly bodiesFolder?: string | undefined;
  /** The name in the certificate and the fragment. */
  readonly name?: string | undefined;
}

export interface ReceivedRequest {
  /** From 1, in the order requests came. */
  readonly number: number;
  /** From 1, in the order connections came. */
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer | null;
  readonly summary: RequestSummary;
  readonly whole: boolean;
}

export interface Sandbox {
  readonly port: number;
  readonly name: string;
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** As it stands in the fragment: a remote name over TLS, the address without. */
  readonly baseUrl: string;
  readonly caFile: string | null;
  readonly model: string;
  readonly fragment: Readonly<Record<string, unknown>>;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Requests that were read as far as the script says. */
  requests(): readonly ReceivedRequest[];
  /** Bytes of request bodies read so far, those of requests still being read included. */
  bodyBytes(): number;
  /** Connections that are open now. */
  open(): number;
  /** Replaces what is left of the script. */
  play(script: SandboxScript): void;
  /** Ends every connection and removes the certificate's folder. */
  close(): Promise<void>;
}

export const SANDBOX_NAME = 'sandbox.coldseal.example';

export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const name = options.name ?? SANDBOX_NAME;
  const certificate = options.tls ? await makeCertificate(name) : null;
  const folder = certificate === null ? null : await writeCertificate(certificate);
  const caFile = folder === null ? null : join(folder, 'sandbox-ca.pem');
  const sockets = new Map<Socket, number>();
  const requests: ReceivedRequest[] = [];
  const closing = new AbortController();
  let script = options.script;
  let next = 0;
  let connections = 0;
  let numbered = 0;
  let bodyBytes = 0;

  const currentReply = (): Reply => {
    const last = script?.after === 'repeat' ? script.replies.at(-1) : undefined;
    return script?.replies[next] ?? last ?? PLAIN_REPLY;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    if (request.method === 'GET' && path.endsWith('/models')) {
      const model = { id: SANDBOX_MODEL, object: 'model', created: 0, owned_by: 'sandbox' };
      answerJson(response, 200, { object: 'list', data: [model] });
      return;
    }
    if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
      answerJson(response, 404, { error: { message: 'The sandbox has /models and /chat/completions.', code: null } });
      return;
    }
    const reply = currentReply();
    next += 1;
    numbered += 1;
    const number = numbered;
    const socket = tcpSocket(request.socket);
    const gone = new AbortController();
    request.socket.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    const file = options.bodiesFolder === undefined ? null : join(options.bodiesFolder, `request-${number}.json`);
    const note = (read: ReadRequest): void => {
      const received: ReceivedRequest = {
        number,
        connection: sockets.get(socket) ?? 0,
        method: request.method ?? '',
        path,
        headers: request.headers,
        body: read.body,
        summary: read.summary,
        whole: read.whole,
      };
      requests.push(received);
      options.onRequest?.(received);
    };
    const read = await readRequest(request, {
      read: reply.read,
      keep: options.keepBodies ?? false,
      file,
      signal,
      onBytes: (count) => {
        bodyBytes += count;
      },
    });
    note(read);
    const chat = read.body === null ? guessChatRequest(read.head, read.tail) : readChatRequest(read.body);
    if (chat === null && read.whole && reply === PLAIN_REPLY) {
      answerJson(response, 400, { error: { message: 'That is no chat request.', type: 'invalid_request_error' } });
      return;
    }
    await playReply({
      reply,
      chat: chat ?? guessChatRequest(read.head, read.tail),
      summary: read.summary,
      id: `chatcmpl-sandbox-${number}`,
      response,
      socket,
      signal,
    });
  };

  /** The TCP socket under a TLS one, found by its other end. */
  const tcpSocket = (socket: Socket): Socket =>
    [...sockets.keys()].find((known) => known.remotePort === socket.remotePort) ?? socket;

  const web =
    certificate === null
      ? createHttp({ requestTimeout: 0, headersTimeout: 0 })
      : createHttps({
          key: certificate.key,
          cert: certificate.certificate,
          minVersion: 'TLSv1.2',
          requestTimeout: 0,
          headersTimeout: 0,
        });
  web.on('request', (request, response) => {
    // A connection that ends early ends its reply; that is what most scripts are for.
    serve(request, response).catch(() => response.destroy());
  });
  web.on('tlsClientError', () => undefined);

  const front = createTcp({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    const { connection } = currentReply();
    if (connection === 'accept') {
      web.emit('connection', socket);
      return;
    }
    next += 1;
    meet(socket, connection);
  });
  const port = await listen(front, options.port ?? 0);
  const address = `127.0.0.1:${port}`;
  return {
    port,
    name,
    address,
    baseUrl: options.tls ? `https://${name}/v1` : `http://${address}/v1`,
    caFile,
    model: SANDBOX_MODEL,
    fragment: machineFragment({ tls: options.tls, name, address, caFile }),
    connections: () => connections,
    requests: () => requests,
    bodyBytes: () => bodyBytes,
    open: () => sockets.size,
    play: (played) => {
      script = played;
      next = 0;
    },
    close: async () => {
      closing.abort();
      for (const socket of sockets.keys()) {
        socket.destroy();
      }
      await new Promise<void>((resolve) => {
        front.close(() => resolve());
      });
      web.close();
      if (folder !== null) {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
};

const writeCertificate = async ({ certificate }: Certificate): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'coldseal-sandbox-'));
  await writeFile(join(folder, 'sandbox-ca.pem'), certificate, { mode: 0o600 });
  return folder;
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });

/** A connection that never becomes a request. */
const meet = (socket: Socket, connection: Exclude<Reply['connection'], 'accept'>): void => {
  switch (connection) {
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.end();
      return;
    case 'stall':
      // Read and dropped, so that the other side's leaving is seen.
      socket.resume();
      return;
    case 'no-tls':
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      return;
    default:
      connection satisfies never;
  }
};

const answerJson = (response: ServerResponse, status: number, value: unknown): void => {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
};
