/** Reads a request's body the way a script says: whole, slowly, in part or not at all, counting as it goes. */

import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { PARSED_BYTES } from './chat-request.js';
import { countRequest, type RequestSummary } from './request-summary.js';
import type { Reply } from './script.js';

export interface ReadRequest {
  /** The body, or `null` when it was not kept. */
  readonly body: Buffer | null;
  /** Up to 64 KiB of either end, Latin-1. */
  readonly head: string;
  readonly tail: string;
  readonly summary: RequestSummary;
  /** The body came to its end. */
  readonly whole: boolean;
}

interface ReadPlan {
  readonly read: Reply['read'];
  /** Keep bodies of any size; otherwise only those small enough to parse. */
  readonly keep: boolean;
  /** Also write the body to this file. */
  readonly file: string | null;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

const END_BYTES = 64 * 1024;

export const readRequest = async (request: IncomingMessage, plan: ReadPlan): Promise<ReadRequest> => {
  const file = plan.file === null ? null : await open(plan.file, 'wx', 0o600);
  try {
    return await readBody(request, plan, async (bytes) => {
      await file?.writeFile(bytes);
    });
  } finally {
    await file?.close();
  }
};

const readBody = async (
  request: IncomingMessage,
  plan: ReadPlan,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<ReadRequest> => {
  const counted = countRequest();
  const most = mostBytes(plan.read);
  let chunks: Buffer[] | null = [];
  let total = 0;
  let head = '';
  let tail = '';
  if (most > 0) {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = chunk.subarray(0, most - total);
      const text = bytes.toString('latin1');
      total += bytes.length;
      counted.take(bytes);
      plan.onBytes(bytes.length);
      chunks = plan.keep || total <= PARSED_BYTES ? chunks : null;
      chunks?.push(bytes);
      head = head.length < END_BYTES ? head + text : head;
      tail = (tail + text).slice(-END_BYTES);
      await write(bytes);
      await slowDown(plan, bytes.length);
      if (total >= most) {
        break;
      }
    }
  }
  return {
    body: chunks === null ? null : Buffer.concat(chunks),
    head,
    tail,
    summary: counted.summary(),
    whole: request.complete,
  };
};

const slowDown = async ({ read, signal }: ReadPlan, bytes: number): Promise<void> => {
  if (typeof read === 'object' && 'bytesPerSecond' in read) {
    await pause((bytes / read.bytesPerSecond) * 1000, undefined, { signal });
  }
};

const mostBytes = (read: Reply['read']): number => {
  if (read === 'none') {
    return 0;
  }
  return typeof read === 'object' && 'stopAfterBytes' in read ? read.stopAfterBytes : Number.POSITIVE_INFINITY;
};
