/** `/healthz` says that the program answers, `/readyz` that it can do its work. Both without a token, in closed words. */
import { z } from 'zod';
import { UNREADY, unreadyParts } from '../../app/service/readiness.js';
import type { AddRoutes } from '../route-group.js';
import { OPEN_PROBLEMS } from '../schemas/problem-schema.js';

const ready = z.object({ ready: z.boolean(), unready: z.array(z.enum(UNREADY)) });

export const addHealthRoutes: AddRoutes = (server, context) => {
  const open = { config: { access: 'open' } } as const;
  server.get(
    '/healthz',
    {
      ...open,
      schema: {
        operationId: 'health',
        tags: ['operation'],
        summary: 'The program answers',
        security: [],
        response: { 200: z.object({ ok: z.literal(true) }), ...OPEN_PROBLEMS },
      },
    },
    () => ({ ok: true }) as const,
  );
  server.get(
    '/readyz',
    {
      ...open,
      schema: {
        operationId: 'ready',
        tags: ['operation'],
        summary: 'The scanner is whole, the record can be written, the queue takes jobs, and the service is not ending',
        security: [],
        response: { 200: ready, 503: ready, ...OPEN_PROBLEMS },
      },
    },
    async (_request, reply) => {
      const unready = [...(await unreadyParts(context))];
      return reply.code(unready.length === 0 ? 200 : 503).send({ ready: unready.length === 0, unready });
    },
  );
};
