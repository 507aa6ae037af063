/** `/v1/records`: the runs, the newest first, one run whole, whether the chain is, and a run’s bundle made again. */
import { z } from 'zod';
import { verifyRun } from '../../app/record-reading.js';
import type { ChainDocument } from '../../contract/documents.js';
import { DoorRefusal } from '../problem.js';
import { signalOf } from '../request-signal.js';
import type { AddRoutes } from '../route-group.js';
import { problemAnswers } from '../schemas/problem-schema.js';
import {
  recordDocument,
  recordPage,
  recordQuery,
  verificationDocument,
  verifiedRunDocument,
} from '../schemas/record-schema.js';

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
    async () => verificationOf(await context.runs.verify()),
  );
  server.get(
    '/v1/records/:id',
    {
      schema: {
        operationId: 'getRecord',
        tags: ['records'],
        summary: 'One run with all its rows',
        params: idParams,
        response: { 200: recordDocument, ...problemAnswers(400, 404, 422) },
      },
    },
    async ({ params }) => {
      const run = await context.runs.show(params.id);
      if (run === null) throw noRecord(params.id);
      return { ...run, rows: run.rows.map((row) => ({ ...row })) };
    },
  );
  server.post(
    '/v1/records/:id/verify',
    {
      schema: {
        operationId: 'verifyRecord',
        tags: ['records'],
        summary: 'Make a run’s bundle again from the repository and compare it',
        params: idParams,
        body: z.strictObject({ repository: z.string().min(1).max(4096).describe('As for a run.') }),
        response: { 200: verifiedRunDocument, ...problemAnswers(400, 404, 408, 413, 415, 422, 429) },
      },
    },
    async ({ params, body }, reply) => {
      if ((await context.runs.show(params.id)) === null) throw noRecord(params.id);
      const folder = await context.allowedRepository(body.repository);
      const request = { folder, say: () => undefined, signal: signalOf(reply) };
      const { chain, rebuilt } = await context.desk.within(request, (own) => verifyRun(own, params.id));
      const bundle = rebuilt === null ? null : { ...rebuilt, notes: [...rebuilt.notes] };
      return { ...verificationOf(chain), id: params.id, bundle };
    },
  );
};

const idParams = z.object({ id: z.string().regex(/^rec-[a-z2-7]{26}$/) });

const noRecord = (id: string): DoorRefusal => new DoorRefusal('NOT_FOUND', `there is no record ${id}`);

const verificationOf = (found: ChainDocument) => ({
  ...found,
  notes: [...found.notes],
  unfinished: [...found.unfinished],
});
