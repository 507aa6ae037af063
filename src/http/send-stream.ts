/** An answer that is made while it is read. Its schema in the document is its text; here it is a stream. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export const sendStream = (reply: FastifyReply, type: string, stream: Readable): FastifyReply =>
  reply.type(type).send(stream);
