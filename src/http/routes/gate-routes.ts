/**
 * The gate over HTTP: the paths to which the clients of both formats post, whichever way they put a base URL and a path
 * together. Bodies come as streams and go to the gate unread; errors have the shape that the client's library understands.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATE_PATHS, type GatePath, type GateReply } from '../../app/gate/gate-call.js';
import { type GateFormat, statusErrorIn } from '../../app/gate/gate-format.js';
import type { Gate } from '../../app/gate/open-gate.js';
import { LARGEST_CAP_BYTES } from '../../contract/bundle.js';
import { problemOfFault } from '../answer-problem.js';
import { DoorRefusal } from '../problem.js';
import { signalOf } from '../request-signal.js';
import type { AddRoutes } from '../route-group.js';
import { GATE_ANSWERS } from '../schemas/gate-schema.js';

/** Nothing that no cap could ever let pass is begun to be read; the cap in force is the gate's to judge. */
const BODY_LIMIT_BYTES = LARGEST_CAP_BYTES;
/** A base URL ends at the provider's name or with a version after it. */
const SPELLINGS = ['/v1/gate/:provider', '/v1/gate/:provider/v1'] as const;
const POST_PATHS = [
  ['openai', 'chat/completions', 'Forward a chat request, scanned and blanked, to a provider of the gate'],
  ['anthropic', 'messages', 'Forward a messages request, scanned and blanked, to a provider of the gate'],
  ['anthropic', 'messages/count_tokens', 'Forward a request to count tokens, scanned and blanked'],
] as const satisfies readonly (readonly [GateFormat, GatePath, string])[];

const NOTHING_ELSE = `the gate forwards POST ${POST_PATHS.map(([, path]) => path).join(', POST ')} and GET models, and nothing else`;

export const addGateRoutes: AddRoutes = (server, { gate, log }) => {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  server.setErrorHandler((fault, request, reply) => {
    const problem = problemOfFault(fault);
    if (problem.status >= 500) log.error({ id: request.id, err: fault, code: problem.code }, 'failed');
    if (!request.raw.complete) reply.header('connection', 'close');
    return answer(reply, statusErrorIn(formatOf(request), problem.status, problem));
  });
  const config = { access: 'client', body: 'stream' } as const;
  for (const spelling of SPELLINGS) {
    for (const [format, path, summary] of POST_PATHS) {
      const operationId = `gate ${path}`.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());
      const schema = { operationId, tags: ['gate'], summary, response: GATE_ANSWERS, hide: spelling !== SPELLINGS[0] };
      server.post(`${spelling}/${path}`, { config, schema, bodyLimit: BODY_LIMIT_BYTES }, (request, reply) =>
        forward(gate, format, withQuery(format, path, request), request, reply),
      );
    }
    const schema = {
      operationId: 'gateModels',
      tags: ['gate'],
      summary: 'The owner’s models of one provider',
      response: GATE_ANSWERS,
      hide: spelling !== SPELLINGS[0],
    };
    server.get(`${spelling}/models`, { config, schema }, (request, reply) => listModels(gate, null, request, reply));
    server.get(`${spelling}/models/*`, { config, schema: { hide: true } }, (request, reply) =>
      listModels(gate, paramOf(request, '*'), request, reply),
    );
  }
  // Whatever else the client's library asks for is told in the shape that it understands, or it would say "no body".
  server.all(`${SPELLINGS[0]}/*`, { config, schema: { hide: true } }, async () => {
    throw new DoorRefusal('NOT_FOUND', NOTHING_ELSE);
  });
};

const paramOf = ({ params }: FastifyRequest, name: string): string => {
  const value: unknown = (params as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
};

/** The one query that travels, where the path has it; any other stays behind. */
const withQuery = (format: GateFormat, path: GatePath, { query }: FastifyRequest): GatePath => {
  const isBeta = (query as Readonly<Record<string, unknown>>)['beta'] === 'true';
  const wanted = `${path}?beta=true`;
  return (isBeta ? GATE_PATHS[format].find((one) => one === wanted) : undefined) ?? path;
};

/** Both formats ask for models at the same path; this header tells them apart. */
const formatOf = ({ headers, url }: FastifyRequest): GateFormat =>
  headers['anthropic-version'] !== undefined || /\/messages(?:[/?]|$)/.test(url) ? 'anthropic' : 'openai';

const listModels = async (
  gate: Gate,
  model: string | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> =>
  answer(reply, await gate.models(formatOf(request), paramOf(request, 'provider'), model === '' ? null : model));

const forward = async (
  gate: Gate,
  format: GateFormat,
  path: GatePath,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const body = request.body instanceof Readable ? request.body : Readable.from([]);
  const provider = paramOf(request, 'provider');
  const { headers } = request;
  return answer(reply, await gate.forward({ provider, format, path, headers, body, signal: signalOf(reply) }));
};

/** Streamed with back-pressure; a body that ends with an error ends the connection with it. */
const answer = (reply: FastifyReply, { status, headers, body }: GateReply): FastifyReply => {
  reply.code(status).headers(headers);
  return reply.send(body instanceof Uint8Array ? Buffer.from(body) : Readable.from(body, { objectMode: false }));
};
