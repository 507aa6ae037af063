/** What a file under `routes/` exports: a function that adds its routes to a server of the service. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ServiceContext } from '../app/service/service-context.js';

/** Schemas of its routes are zod's; requests and answers are typed by them. */
export type ServiceServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Each group gets a scope of its own: its hooks, parsers and error handler are its alone. The door is before all of them. */
export type AddRoutes = (server: ServiceServer, context: ServiceContext) => Promise<void> | void;
