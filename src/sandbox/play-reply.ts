/** Plays one reply of a script on a real response: head, body at its pace, and the end it names. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answerEvents, answerObject } from './chat-answer.js';
import type { ChatRequest } from './chat-request.js';
import { type StreamPart, streamParts } from './event-text.js';
import type { RequestSummary } from './request-summary.js';
import type { Reply } from './script.js';

interface Play {
  readonly reply: Reply;
  readonly chat: ChatRequest;
  readonly summary: RequestSummary;
  readonly id: string;
  readonly response: ServerResponse;
  /** The TCP socket, under TLS where there is TLS. */
  readonly socket: Socket;
  /** Aborts when the connection or the sandbox is closed. */
  readonly signal: AbortSignal;
}

export const playReply = async (play: Play): Promise<void> => {
  const { reply, response, signal } = play;
  await pause(reply.waitMs, undefined, { signal });
  if (!reply.silent) {
    const body = bodyOf(play);
    if (reply.rawHead !== undefined) {
      await written((done) => response.socket?.write(reply.rawHead ?? '', done), signal);
    } else {
      response.writeHead(reply.status, { 'content-type': body.type, connection: 'close', ...reply.headers });
      response.flushHeaders();
    }
    await writeBody(play, body.parts);
  }
  await endAs(play, reply.end);
};

const bodyOf = (play: Play): { readonly type: string; readonly parts: Iterable<StreamPart> } => {
  const { reply, chat, summary, id } = play;
  const frame = { id, model: chat.model, lineEnd: reply.lineEnd };
  if (reply.events !== undefined) {
    return { type: 'text/event-stream', parts: streamParts(reply.events, frame) };
  }
  if (reply.json !== undefined) {
    return { type: 'application/json', parts: [text(JSON.stringify(reply.json))] };
  }
  if (reply.text !== undefined) {
    return { type: 'text/html; charset=utf-8', parts: [text(reply.text)] };
  }
  if (reply.fill !== undefined) {
    return { type: 'text/event-stream', parts: filled(reply.fill) };
  }
  if (reply.status !== 200) {
    return { type: 'text/plain', parts: [] };
  }
  return chat.stream
    ? { type: 'text/event-stream', parts: streamParts(answerEvents(chat, summary), frame) }
    : { type: 'application/json', parts: [text(JSON.stringify(answerObject(chat, summary, id)))] };
};

const text = (value: string): StreamPart => ({ bytes: Buffer.from(value) });

function* filled(fill: NonNullable<Reply['fill']>): Generator<StreamPart, void> {
  yield text(fill.before);
  const part = text(fill.text);
  for (let time = 0; time < fill.times; time += 1) {
    yield part;
  }
  yield text(fill.after);
}

/** Writes until the parts or `closeAfterBytes` end; waits for the socket, so a slow reader slows the sandbox. */
const writeBody = async (play: Play, parts: Iterable<StreamPart>): Promise<void> => {
  const { reply, signal } = play;
  let left = reply.closeAfterBytes ?? Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if ('waitMs' in part) {
      await pause(part.waitMs, undefined, { signal });
      continue;
    }
    const bytes = part.bytes.subarray(0, Math.min(left, part.bytes.length));
    left -= bytes.length;
    const step = reply.pace?.bytes ?? Math.max(1, bytes.length);
    for (let from = 0; from < bytes.length; from += step) {
      await written((done) => writeTo(play, bytes.subarray(from, from + step), done), signal);
      if (reply.pace !== undefined) {
        await pause(reply.pace.everyMs, undefined, { signal });
      }
    }
    if (left === 0) {
      await endAs(play, 'close');
      return;
    }
  }
};

const writeTo = ({ reply, response }: Play, bytes: Uint8Array, done: () => void): void => {
  if (reply.rawHead === undefined) {
    response.write(bytes, done);
  } else {
    response.socket?.write(bytes, done);
  }
};

const written = (write: (done: () => void) => void, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    write(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });

const endAs = async ({ reply, response, socket, signal }: Play, end: Reply['end']): Promise<void> => {
  switch (end) {
    case 'end':
      if (reply.rawHead === undefined && !reply.silent) {
        response.end();
      } else {
        response.socket?.end();
      }
      return;
    case 'close':
      socket.destroy();
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'hang':
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      return;
    default:
      end satisfies never;
  }
};
