/** The signal of one request: given when its client went away before it was answered. */
import type { FastifyReply } from 'fastify';
import { ColdsealError } from '../contract/error.js';

export const signalOf = (reply: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new ColdsealError('CANCELLED', 'the client went away'));
  });
  return gone.signal;
};
