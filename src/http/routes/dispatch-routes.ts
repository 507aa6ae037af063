/**
 * `/v1/dispatches`: a run is begun, looked at, watched and ended. The answer to the POST waits for the run for a while, so
 * that a refusal has its own status; a run that takes longer is answered 202 and asked for by its id.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { programWords } from '../../app/run-words.js';
import type { BegunRun } from '../../app/service/run-desk.js';
import { answerDispatch, dispatchBody, waitOf } from '../dispatch-answer.js';
import { dispatchDocumentOf, recordedDispatch, unrecordedDispatch } from '../dispatch-document.js';
import { DoorRefusal } from '../problem.js';
import type { AddRoutes } from '../route-group.js';
import { runEvents } from '../run-events.js';
import { problemAnswers, RUN_PROBLEMS } from '../schemas/problem-schema.js';
import { briefDispatch, dispatchDocument, runBody } from '../schemas/run-schema.js';
import { sendStream } from '../send-as-it-is.js';

const idParams = z.object({ id: z.string().regex(/^rec-[a-z2-7]{26}$/) });

export const addDispatchRoutes: AddRoutes = (server, context) => {
  /** `NOT_FOUND` for an id that neither the desk nor the record knows. */
  const documentOf = async (id: string) => {
    const run = context.desk.find(id);
    if (run !== null) return dispatchDocumentOf(run);
    const recorded = await context.runs.show(id);
    if (recorded === null) throw new DoorRefusal('NOT_FOUND', `there is no run ${id}`);
    return recordedDispatch(recorded.summary);
  };
  const begunDocument = async ({ id, run }: BegunRun) => {
    if (run !== null) return dispatchDocumentOf(run);
    const recorded = await context.runs.show(id);
    return recorded === null ? unrecordedDispatch(id, context.now()) : recordedDispatch(recorded.summary);
  };

  server.post(
    '/v1/dispatches',
    {
      schema: {
        operationId: 'dispatch',
        tags: ['runs'],
        summary: 'Assemble a bundle and send it',
        description:
          'Answers when the run has ended: 200, or the problem it ended with. A run that takes longer than ten seconds (another time with `Prefer: wait=SECONDS`, none with `Prefer: respond-async`) is answered 202 and goes on. The same `Idempotency-Key` never sends twice.',
        headers: z.looseObject({
          'idempotency-key': z
            .string()
            .regex(/^[\x21-\x7e]{1,255}$/)
            .optional()
            .describe('1 to 255 visible ASCII characters. With the same body again it is answered with the first run.'),
          prefer: z.string().max(256).optional().describe('`respond-async`, or `wait=` and seconds.'),
        }),
        body: runBody,
        response: { 200: dispatchDocument, 202: dispatchDocument, ...RUN_PROBLEMS },
      },
    },
    async (request, reply) => {
      const words = programWords(request.body, false);
      const folder = await context.allowedRepository(request.body.repository);
      const key = request.headers['idempotency-key'];
      const begun = await context.desk.begin(
        words,
        folder,
        key === undefined ? null : { key, asked: dispatchBody(request.body) },
      );
      if (begun.run !== null) await waitOf(begun.run, request.headers.prefer);
      return answerDispatch(reply, await begunDocument(begun));
    },
  );

  server.get(
    '/v1/dispatches',
    {
      schema: {
        operationId: 'listDispatches',
        tags: ['runs'],
        summary: 'Runs of this start of the service: those under way and the newest that ended, the newest first',
        response: { 200: z.object({ dispatches: z.array(briefDispatch) }), ...problemAnswers() },
      },
    },
    () => ({ dispatches: context.desk.list().map((run) => dispatchDocumentOf(run)) }),
  );

  server.get(
    '/v1/dispatches/:id',
    {
      schema: {
        operationId: 'getDispatch',
        tags: ['runs'],
        summary: 'Where a run stands, or how it ended',
        params: idParams,
        response: { 200: dispatchDocument, ...problemAnswers(400, 404, 422) },
      },
    },
    ({ params }) => documentOf(params.id),
  );

  server.delete(
    '/v1/dispatches/:id',
    {
      schema: {
        operationId: 'cancelDispatch',
        tags: ['runs'],
        summary: 'End a run with CANCELLED; one that has ended stays as it is',
        params: idParams,
        response: { 200: dispatchDocument, ...problemAnswers(400, 404, 422) },
      },
    },
    async ({ params }) => {
      const run = context.desk.find(params.id);
      run?.cancel();
      await run?.ended;
      return documentOf(params.id);
    },
  );

  server.get(
    '/v1/dispatches/:id/events',
    {
      schema: {
        operationId: 'watchDispatch',
        tags: ['runs'],
        summary: 'A run as it goes, as server-sent events',
        description:
          'The present state first, then `progress` events (steps that came faster than they are read are passed over), at the end one `ended` event with the run’s document.',
        params: idParams,
        response: {
          200: { description: 'Server-sent events.', content: { 'text/event-stream': { schema: z.string() } } },
          ...problemAnswers(400, 404, 422),
        },
      },
    },
    async ({ params }, reply) => {
      const run = context.desk.find(params.id);
      const events =
        run === null
          ? [`event: ended\ndata: ${JSON.stringify(await documentOf(params.id))}\n\n`]
          : runEvents(run, reply);
      return sendStream(reply, 'text/event-stream', Readable.from(events, { highWaterMark: 1 }));
    },
  );
};
