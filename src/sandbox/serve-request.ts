/** One request at the sandbox: what it asks for, how its body is read, and which reply it gets. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { guessChatRequest, readChatRequest } from './chat-request.js';
import { SANDBOX_MODEL } from './machine-fragment.js';
import { playReply } from './play-reply.js';
import { readRequest } from './read-request.js';
import type { RequestSummary } from './request-summary.js';
import { PLAIN_REPLY, type Reply } from './script.js';

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

/** What serving takes from the sandbox around it. */
export interface ChatDesk {
  readonly takeReply: () => Reply;
  readonly under: (socket: Socket) => { readonly socket: Socket; readonly connection: number };
  readonly keepBodies: boolean;
  readonly bodiesFolder: string | null;
  readonly onBytes: (count: number) => void;
  readonly onRequest: (request: ReceivedRequest) => void;
  /** Aborts when the sandbox closes. */
  readonly signal: AbortSignal;
}

/** `nextNumber` is called for a chat request only. Rejects when the connection ends before its reply does. */
export const serveRequest = async (
  desk: ChatDesk,
  request: IncomingMessage,
  response: ServerResponse,
  nextNumber: () => number,
): Promise<void> => {
  const path = request.url ?? '';
  if (request.method === 'GET' && path.endsWith('/models')) {
    const model = { id: SANDBOX_MODEL, object: 'model', created: 0, owned_by: 'sandbox' };
    answerJson(response, 200, { object: 'list', data: [model] });
  } else if (request.method === 'POST' && path.endsWith('/chat/completions')) {
    await serveChat(desk, request, response, nextNumber());
  } else {
    answerJson(response, 404, { error: { message: 'The sandbox has /models and /chat/completions.', code: null } });
  }
};

const serveChat = async (
  desk: ChatDesk,
  request: IncomingMessage,
  response: ServerResponse,
  number: number,
): Promise<void> => {
  const reply = desk.takeReply();
  const { socket, connection } = desk.under(request.socket);
  const gone = new AbortController();
  request.socket.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, desk.signal]);
  const read = await readRequest(request, {
    read: reply.read,
    keep: desk.keepBodies,
    file: desk.bodiesFolder === null ? null : join(desk.bodiesFolder, `request-${number}.json`),
    onBytes: desk.onBytes,
    signal,
  });
  desk.onRequest({
    number,
    connection,
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: read.body,
    summary: read.summary,
    whole: read.whole,
  });
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

const answerJson = (response: ServerResponse, status: number, value: unknown): void => {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
};
