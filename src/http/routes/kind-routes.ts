/** `GET /v1/kinds`: what each kind of bundle carries, in order, and which agents take it. */
import { z } from 'zod';
import { listKinds } from '../../app/list-kinds.js';
import { INPUTS, KINDS } from '../../contract/item.js';
import type { AddRoutes } from '../route-group.js';
import { DOOR_PROBLEMS } from '../schemas/problem-schema.js';

const kindsDocument = z.object({
  kinds: z.array(z.object({ kind: z.enum(KINDS), agents: z.array(z.string()), inputs: z.array(z.enum(INPUTS)) })),
});

export const addKindRoutes: AddRoutes = (server) => {
  server.get(
    '/v1/kinds',
    {
      schema: {
        operationId: 'listKinds',
        tags: ['runs'],
        summary: 'The kinds, their agents and inputs',
        response: { 200: kindsDocument, ...DOOR_PROBLEMS },
      },
    },
    () => ({
      kinds: listKinds().map(({ kind, agents, inputs }) => ({ kind, agents: [...agents], inputs: [...inputs] })),
    }),
  );
};
