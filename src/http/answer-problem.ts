/** From whatever went wrong to the problem that is answered: our own codes, Fastify's faults, and the rest as `INTERNAL`. */
import type { FastifyReply } from 'fastify';
import { ColdsealError } from '../contract/error.js';
import { DoorRefusal, doorProblem, PROBLEM_TYPE, type Problem, problemOf, problemOfError } from './problem.js';

/** Seconds after which a client that was told `BUSY` may ask again. */
const RETRY_SECONDS = 2;

/** A refusal whose body was not read closes the connection: what is still under way is not waited for. */
export const answerProblem = (reply: FastifyReply, problem: Problem): FastifyReply => {
  if (reply.sent) return reply;
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if (problem.status === 429) reply.header('retry-after', RETRY_SECONDS);
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
};

export const problemOfFault = (fault: unknown): Problem => {
  if (fault instanceof DoorRefusal) return fault.problem;
  if (fault instanceof ColdsealError) return problemOf(fault);
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return doorProblem('BODY_TOO_LARGE');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return doorProblem('MEDIA_TYPE_REFUSED');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return problemOf({
        code: 'USAGE',
        message: 'the body is not JSON; `/openapi.json` describes what this route takes',
      });
    default:
      return problemOfError(fault);
  }
};
