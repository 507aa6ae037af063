/** The shape of every refusal and failure, and where a route may answer one. */
import { z } from 'zod';
import { CODES, type Code } from '../../contract/codes.js';
import { DOOR_CODES, type DoorCode, PROBLEM_TYPE } from '../problem.js';

const codes = [...Object.keys(CODES), ...Object.keys(DOOR_CODES)] as [Code | DoorCode, ...(Code | DoorCode)[]];

const problemSchema = z.looseObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  outcome: z.enum(['refused', 'provider_failed', 'failed']),
  code: z.enum(codes),
  message: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

const MEANINGS = {
  400: 'The request is not what the route takes.',
  401: 'The token is missing or wrong.',
  403: 'A page of another origin.',
  404: 'There is nothing by that name.',
  408: 'The request did not come in time.',
  409: 'What was expected or consented to is not what is, or the run was cancelled.',
  413: 'Over the cap, the budget, or the size of a body.',
  415: 'A body of another type.',
  421: 'A Host that is not this service’s.',
  422: 'A rule refused.',
  429: 'More at once than the service allows; `Retry-After` says when to ask again.',
  500: 'A fault of the service.',
  502: 'The provider failed.',
  503: 'Not ready.',
} as const;
type ProblemStatus = keyof typeof MEANINGS;

const answer = (status: ProblemStatus) => ({
  description: MEANINGS[status],
  content: { [PROBLEM_TYPE]: { schema: problemSchema } },
});

/** What the door and a fault may answer on any route. */
export const DOOR_PROBLEMS = { 401: answer(401), 403: answer(403), 421: answer(421), 500: answer(500) } as const;
export const OPEN_PROBLEMS = { 403: answer(403), 421: answer(421), 500: answer(500) } as const;

/** What a route that asks for a run may answer besides. */
export const RUN_PROBLEMS = {
  ...DOOR_PROBLEMS,
  400: answer(400),
  408: answer(408),
  409: answer(409),
  413: answer(413),
  415: answer(415),
  422: answer(422),
  429: answer(429),
  502: answer(502),
} as const;

export const problemAnswers = <S extends ProblemStatus>(...statuses: readonly S[]) => ({
  ...DOOR_PROBLEMS,
  ...(Object.fromEntries(statuses.map((status) => [status, answer(status)])) as Record<S, ReturnType<typeof answer>>),
});
