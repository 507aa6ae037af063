/**
 * The Fastify server: the door first, then the groups of routes, then the document that describes them. Requests are
 * logged by their route's pattern, never by their path, and no body, header or query is handed to the log.
 */
import { createServer, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyError } from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import type { ServiceContext } from '../app/service/service-context.js';
import { VERSION } from '../contract/version.js';
import { answerProblem, problemOfFault } from './answer-problem.js';
import { type DoorRules, guardDoor } from './guard-door.js';
import { doorProblem } from './problem.js';
import type { ServiceServer } from './route-group.js';
import { ROUTE_GROUPS } from './route-groups.js';

export interface ServerWords {
  readonly context: ServiceContext;
  readonly door: DoorRules;
  /** PEM of certificate and key; `null` for plain http. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly newRequestId: () => string;
}

const LARGEST_BODY_BYTES = 256 * 1024;
const LONGEST_BODY_MS = 30_000;
const MOST_CONNECTIONS = 1024;

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  // The head of a request; a body has its own limit, because a scan may stream for hours.
  headersTimeout: 10_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 30_000,
  requireHostHeader: false,
};

/** The server with every route; it does not listen yet. */
export const openServer = async ({ context, door, tls, newRequestId }: ServerWords): Promise<ServiceServer> => {
  const server: ServiceServer = Fastify({
    serverFactory: (answer) => {
      const made =
        tls === null ? createServer(SERVER_OPTIONS, answer) : createTlsServer({ ...SERVER_OPTIONS, ...tls }, answer);
      made.maxConnections = MOST_CONNECTIONS;
      return made;
    },
    logger: false,
    genReqId: newRequestId,
    bodyLimit: LARGEST_BODY_BYTES,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_fault, _request, reply) => answerProblem(reply, doorProblem('NOT_FOUND')),
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    guardDoor(request, door);
  });
  server.addHook('preParsing', async (request, reply, payload) => {
    if (request.routeOptions.config.body === 'stream') return payload;
    const timer = setTimeout(() => answerProblem(reply, doorProblem('REQUEST_TIMEOUT')), LONGEST_BODY_MS);
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
  server.get('/openapi.json', { schema: { hide: true } }, () => server.swagger());
  await server.ready();
  return server;
};
