/** `GET /v1/repositories`: what a request may name, so that a person can choose instead of typing a path. */
import { z } from 'zod';
import type { AddRoutes } from '../route-group.js';
import { problemAnswers } from '../schemas/problem-schema.js';

export const addRepositoryRoutes: AddRoutes = (server, context) => {
  server.get(
    '/v1/repositories',
    {
      schema: {
        operationId: 'listRepositories',
        tags: ['runs'],
        summary: 'Repositories inside the owner’s folders, at most 200 places looked at',
        response: {
          200: z.object({ repositories: z.array(z.string()).describe('Absolute paths.') }),
          ...problemAnswers(422),
        },
      },
    },
    async () => ({ repositories: [...(await context.listRepositories())] }),
  );
};
