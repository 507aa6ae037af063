/** `/v1/records`: the runs, the newest first, one run whole, and whether the chain is. */
import { z } from 'zod';
import { DoorRefusal } from '../problem.js';
import type { AddRoutes } from '../route-group.js';
import { problemAnswers } from '../schemas/problem-schema.js';
import { recordDocument, recordPage, recordQuery, verificationDocument } from '../schemas/record-schema.js';

export const addRecordRoutes: AddRoutes = (server, context) => {
  server.get(
    '/v1/records',
    {
      schema: {
        operationId: 'listRecords',
        tags: ['records'],
        summary: 'Runs, the newest first',
        querystring: recordQuery,
        response: { 200: recordPage, ...problemAnswers(400, 422) },
      },
    },
    async ({ query }) => context.runs.list(query),
  );
  server.get(
    '/v1/records/verify',
    {
      schema: {
        operationId: 'verifyRecords',
        tags: ['records'],
        summary: 'Whether the chain of every row is whole',
        response: { 200: verificationDocument, ...problemAnswers(422) },
      },
    },
    async () => {
      const found = await context.runs.verify();
      return { ...found, notes: [...found.notes], unfinished: [...found.unfinished] };
    },
  );
  server.get(
    '/v1/records/:id',
    {
      schema: {
        operationId: 'getRecord',
        tags: ['records'],
        summary: 'One run with all its rows',
        params: z.object({ id: z.string().regex(/^rec-[a-z2-7]{26}$/) }),
        response: { 200: recordDocument, ...problemAnswers(400, 404, 422) },
      },
    },
    async ({ params }) => {
      const run = await context.runs.show(params.id);
      if (run === null) throw new DoorRefusal('NOT_FOUND', `there is no record ${params.id}`);
      return { ...run, rows: run.rows.map((row) => ({ ...row })) };
    },
  );
};
