/** Answers that go out as they are: made while they are read, or made before. Their schemas are for the document alone. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export const sendStream = (reply: FastifyReply, type: string, stream: Readable): FastifyReply =>
  reply.type(type).send(stream);

export const sendText = (reply: FastifyReply, type: string, text: string): FastifyReply => reply.type(type).send(text);
