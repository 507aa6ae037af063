/** `GET /metrics` in Prometheus' text form. */
import { z } from 'zod';
import type { AddRoutes } from '../route-group.js';
import { problemAnswers } from '../schemas/problem-schema.js';

export const addMetricsRoutes: AddRoutes = (server, context) => {
  server.get(
    '/metrics',
    {
      schema: {
        operationId: 'metrics',
        tags: ['operation'],
        summary: 'Figures of this process, and of every run in the record store',
        response: {
          200: { description: 'Prometheus text.', content: { 'text/plain': { schema: z.string() } } },
          ...problemAnswers(422),
        },
      },
    },
    async (_request, reply) => reply.type(context.metrics.contentType).send(await context.metrics.read()),
  );
};
