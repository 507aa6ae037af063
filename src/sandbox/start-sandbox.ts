/**
 * An OpenAI-compatible provider on loopback, over real HTTP and TLS, that answers with what it was sent. It is also the
 * tests' scripted provider, which is why it counts and keeps what a provider would not.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp, type Server as WebServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, makeCertificate } from './certificate.js';
import { openFrontDoor } from './front-door.js';
import { machineFragment, SANDBOX_MODEL } from './machine-fragment.js';
import { PLAIN_REPLY, type Reply, type SandboxScript } from './script.js';
import { type ChatDesk, type ReceivedRequest, serveRequest } from './serve-request.js';

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

const SANDBOX_NAME = 'sandbox.coldseal.example';
const CA_FILE = 'sandbox-ca.pem';

export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const name = options.name ?? SANDBOX_NAME;
  const certificate = options.tls ? await makeCertificate(name) : null;
  const folder = certificate === null ? null : await writeCertificate(certificate);
  const caFile = folder === null ? null : join(folder, CA_FILE);
  const closing = new AbortController();
  const replies = replyQueue(options.script);
  const requests: ReceivedRequest[] = [];
  let bodyBytes = 0;
  const web = webServer(certificate);
  const door = await openFrontDoor({
    port: options.port ?? 0,
    meeting: () => {
      const { connection } = replies.current();
      if (connection !== 'accept') {
        replies.take();
      }
      return connection;
    },
    accept: (socket) => web.emit('connection', socket),
  });
  const desk: ChatDesk = {
    takeReply: replies.take,
    under: door.under,
    keepBodies: options.keepBodies ?? false,
    bodiesFolder: options.bodiesFolder ?? null,
    onBytes: (count) => {
      bodyBytes += count;
    },
    onRequest: (request) => {
      requests.push(request);
      options.onRequest?.(request);
    },
    signal: closing.signal,
  };
  let numbered = 0;
  web.on('request', (request, response) => {
    // A connection that ends early ends its reply; that is what most scripts are for.
    serveRequest(desk, request, response, () => {
      numbered += 1;
      return numbered;
    }).catch(() => response.destroy());
  });
  const address = `127.0.0.1:${door.port}`;
  return {
    port: door.port,
    name,
    address,
    baseUrl: options.tls ? `https://${name}/v1` : `http://${address}/v1`,
    caFile,
    model: SANDBOX_MODEL,
    fragment: machineFragment({ tls: options.tls, name, address, caFile }),
    connections: door.connections,
    requests: () => requests,
    bodyBytes: () => bodyBytes,
    open: door.open,
    play: replies.play,
    close: async () => {
      closing.abort();
      await door.close();
      web.close();
      if (folder !== null) {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
};

const writeCertificate = async ({ certificate }: Certificate): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'coldseal-sandbox-'));
  await writeFile(join(folder, CA_FILE), certificate, { mode: 0o600 });
  return folder;
};

/** The replies of a script in order; a plain one when they are used up, or the last again. */
const replyQueue = (first: SandboxScript | undefined) => {
  let script = first;
  let next = 0;
  const current = (): Reply => {
    const last = script?.after === 'repeat' ? script.replies.at(-1) : undefined;
    return script?.replies[next] ?? last ?? PLAIN_REPLY;
  };
  return {
    current,
    take: (): Reply => {
      const reply = current();
      next += 1;
      return reply;
    },
    play: (played: SandboxScript): void => {
      script = played;
      next = 0;
    },
  };
};

/** Connections are handed to it; it listens nowhere itself. */
const webServer = (certificate: Certificate | null): WebServer => {
  // Scripts decide how long things take.
  const patience = { requestTimeout: 0, headersTimeout: 0 };
  const server =
    certificate === null
      ? createHttp(patience)
      : createHttps({ ...patience, key: certificate.key, cert: certificate.certificate, minVersion: 'TLSv1.2' });
  server.on('tlsClientError', () => undefined);
  return server;
};
