/**
 * The Fastify server: the door first, then the groups of routes, then the document that describes them. Requests are
 * logged by their route's pattern, never by their path, and no body, header or query is handed to the log.
 */
import { createServer, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyError } from 'fastify';
import { jsonSchemaTransform, serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ServiceContext } from '../app/service/service-context.js';
import { ColdsealError } from '../contract/error.js';
import { VERSION } from '../contract/version.js';
import { answerProblem, problemOfFault } from './answer-problem.js';
import { type DoorRules, guardDoor } from './guard-door.js';
import { doorProblem } from './problem.js';
import type { ServiceServer } from './route-group.js';
import { ROUTE_GROUPS } from './route-groups.js';
import { readBySchema } from './schema-words.js';
import { DOOR_PROBLEMS } from './schemas/problem-schema.js';
import { sendText } from './send-as-it-is.js';

export interface ServerWords {
  readonly context: ServiceContext;
  readonly door: DoorRules;
  /** PEM of certificate and key; `null` for plain http. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly newRequestId: () => string;
  readonly limits: RequestLimits;
}

export interface RequestLimits {
  /** Until the head of a request is there. */
  readonly headMs: number;
  /** Until a body that is no stream is there. */
  readonly bodyMs: number;
  readonly bodyBytes: number;
}

export const REQUEST_LIMITS: RequestLimits = { headMs: 10_000, bodyMs: 30_000, bodyBytes: 256 * 1024 };

/** How often Node looks for heads that are late. */
const LOOK_MS = 1000;

const MOST_CONNECTIONS = 1024;

const serverOptions = ({ headMs }: RequestLimits): ServerOptions => ({
  maxHeaderSize: 16 * 1024,
  // The head of a request; a body has its own limit, because a scan may stream for hours.
  headersTimeout: headMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.min(LOOK_MS, headMs),
  keepAliveTimeout: 30_000,
  requireHostHeader: false,
});

/** The server with every route; it does not listen yet. */
export const openServer = async ({ context, door, tls, newRequestId, limits }: ServerWords): Promise<ServiceServer> => {
  const server: ServiceServer = Fastify({
    serverFactory: (answer) => {
      const options = serverOptions(limits);
      const made = tls === null ? createServer(options, answer) : createTlsServer({ ...options, ...tls }, answer);
      made.maxConnections = MOST_CONNECTIONS;
      return made;
    },
    logger: false,
    genReqId: newRequestId,
    bodyLimit: limits.bodyBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_fault, _request, reply) => answerProblem(reply, doorProblem('NOT_FOUND')),
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value) => {
    const read = readBySchema(schema, httpPart ?? '', value);
    return 'fault' in read ? { error: new ColdsealError('USAGE', read.fault) } : read;
  });
  server.setSerializerCompiler(serializerCompiler);
  // A page may send plain text anywhere without asking first.
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    guardDoor(request, door);
  });
  server.addHook('preParsing', async (request, reply, payload) => {
    if (request.routeOptions.config.body === 'stream') return payload;
    const late = (): void => {
      // Without a body there is nothing to wait for, and what answers for a long time (a watch) is not late.
      if (!request.raw.complete && !reply.raw.headersSent) answerProblem(reply, doorProblem('REQUEST_TIMEOUT'));
    };
    const timer = setTimeout(late, limits.bodyMs);
    payload.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
    return payload;
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, id } = request;
    const ms = Math.round(reply.elapsedTime);
    context.log.info({ id, method, route: routeOptions.url ?? 'none', status: reply.statusCode, ms }, 'answered');
  });
  server.setErrorHandler<FastifyError>((fault, request, reply) => {
    const problem = problemOfFault(fault);
    if (problem.status >= 500) context.log.error({ id: request.id, err: fault, code: problem.code }, 'failed');
    return answerProblem(reply, problem);
  });
  server.setNotFoundHandler((_request, reply) => answerProblem(reply, doorProblem('NOT_FOUND')));

  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Coldseal',
        version: VERSION,
        description:
          'Decides what leaves this machine for a remote model: one bundle, scanned, blanked, capped, recorded.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
  });
  for (const addRoutes of ROUTE_GROUPS)
    await server.register(async (scope) => addRoutes(scope as ServiceServer, context));
  let document = '';
  server.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'openapi',
        tags: ['operation'],
        summary: 'This document',
        response: { 200: z.looseObject({ openapi: z.string() }), ...DOOR_PROBLEMS },
      },
    },
    async (_request, reply) => {
      sendText(reply, 'application/json', document);
      return reply;
    },
  );
  await server.ready();
  // Made once: it is long, and nothing in it changes while the service runs.
  document = JSON.stringify(server.swagger());
  return server;
};
