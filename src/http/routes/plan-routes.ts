/** `POST /v1/plans`: everything but the call, within the request that asks for it. */
import { z } from 'zod';
import { programWords } from '../../app/run-words.js';
import { answerPlan } from '../plan-answer.js';
import type { AddRoutes } from '../route-group.js';
import { RUN_PROBLEMS } from '../schemas/problem-schema.js';
import { planDocument, runBody } from '../schemas/run-schema.js';

export const addPlanRoutes: AddRoutes = (server, context) => {
  server.post(
    '/v1/plans',
    {
      schema: {
        operationId: 'plan',
        tags: ['runs'],
        summary: 'The very bundle that a dispatch would send, without the call',
        body: runBody,
        querystring: z.strictObject({ text: z.literal('1').optional().describe('Add each item’s blanked text.') }),
        response: { 200: planDocument, ...RUN_PROBLEMS },
      },
    },
    async (request, reply) => {
      const words = programWords(request.body, true);
      const folder = await context.allowedRepository(request.body.repository);
      return answerPlan(context, { words, folder, withText: request.query.text === '1' }, reply);
    },
  );
};
