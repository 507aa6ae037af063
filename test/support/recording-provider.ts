/**
 * A provider over TLS that keeps every byte it receives and answers as the test says: remote in name, on this machine in
 * fact. Unlike the sandbox it speaks no format of its own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { makeCertificate } from '../../src/sandbox/certificate.js';

export interface RecordedCall {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answerer = (call: RecordedCall, response: ServerResponse) => void | Promise<void>;

export interface RecordingProvider {
  readonly name: string;
  readonly port: number;
  readonly caFile: string;
  /** PEM. */
  readonly certificate: string;
  readonly calls: RecordedCall[];
  /** Sockets that are open now. */
  open(): number;
  /** Connections that took up the TLS session of an earlier one. */
  resumed(): number;
  /** Says how the next calls are answered. */
  answer(answerer: Answerer): void;
  close(): Promise<void>;
}

export const startRecordingProvider = async (name: string, first: Answerer): Promise<RecordingProvider> => {
  const folder = mkdtempSync(join(tmpdir(), 'coldseal-provider-'));
  const { certificate, key } = await makeCertificate(name);
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificate);
  const calls: RecordedCall[] = [];
  const sockets = new Set<Socket>();
  let answerer = first;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
      calls.push(call);
      void answerer(call, response);
    });
  });
  let resumed = 0;
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.isSessionReused()) resumed += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    name,
    port: (server.address() as AddressInfo).port,
    caFile,
    certificate,
    calls,
    open: () => sockets.size,
    resumed: () => resumed,
    answer: (next) => {
      answerer = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
