/**
 * One request and its answer's head over one socket, with undici writing and parsing the HTTP.
 *
 * undici gets a socket that is open and judged already, cannot open another, never follows a redirect, and has no
 * timeouts of its own: the call's limits are watched in one place.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { SLICE_BYTES } from '../contract/json-escape.js';
import type { SendRequest } from '../contract/transport.js';
import type { Line } from './open-line.js';
import type { RequestBody } from './request-body.js';

export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Reads of the answer's body; ends with an error when the body is cut off. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Exchange {
  readonly head: Promise<AnswerHead>;
  /** Ends everything, the socket included. `dropped` is for a call that was called off: nothing queued is sent any more. */
  close(dropped: boolean): Promise<void>;
}

interface UploadProgress {
  /** Called before each slice is handed to the socket, the first one included. */
  onSlice(): void;
  /** Called when the last slice was taken. */
  onSent(): void;
}

/** Most bytes of an answer's head. */
export const MOST_HEAD_BYTES = 64 * 1024;

/** Where a request goes and what stands before its body. */
export interface ExchangeTarget {
  readonly baseUrl: string;
  /** Below the base URL, with a query where there is one; without a slash before it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Upload = Pick<RequestBody, 'slices'>;

/** A completion of ours: one bearer header, an event stream asked for. */
export const chatTarget = (request: SendRequest, contentLength: number): ExchangeTarget => ({
  baseUrl: request.provider.endpoint.baseUrl,
  path: 'chat/completions',
  headers: requestHeaders(request, contentLength),
});

/** Starts the exchange. The line belongs to it from now on. */
export const startExchange = (target: ExchangeTarget, body: Upload, line: Line, progress: UploadProgress): Exchange => {
  const url = new URL(target.baseUrl);
  let used = false;
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      if (used) {
        callback(new Error('a call has one connection'), null);
      } else {
        used = true;
        // Not at once: undici takes a connector to be asynchronous and would not look at its queue again.
        setImmediate(callback, null, line.socket);
      }
    },
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MOST_HEAD_BYTES,
  });
  const upload = Readable.from(watched(body, progress), { objectMode: false, highWaterMark: SLICE_BYTES });
  const head = client
    .request({
      method: 'POST',
      path: `${url.pathname.replace(/\/+$/, '')}/${target.path}`,
      headers: target.headers,
      body: upload,
      reset: true,
    })
    .then((response): AnswerHead => {
      // Destroying a body that was not read to its end emits an error that nobody else waits for.
      response.body.on('error', () => undefined);
      return { status: response.statusCode, headers: response.headers, body: response.body };
    });
  return {
    head,
    close: async (dropped) => {
      if (dropped) {
        line.reset();
      }
      line.socket.destroy();
      upload.destroy();
      await client.destroy().catch(() => undefined);
    },
  };
};

/** Nothing here names the project or this program. */
const requestHeaders = (request: SendRequest, contentLength: number): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'text/event-stream, application/json',
  'accept-encoding': 'identity',
  'content-length': String(contentLength),
  ...(request.credential === null ? {} : { authorization: `Bearer ${request.credential.value}` }),
});

function* watched(body: Upload, progress: UploadProgress): Generator<Uint8Array, void> {
  for (const slice of body.slices()) {
    progress.onSlice();
    yield slice;
  }
  progress.onSent();
}
