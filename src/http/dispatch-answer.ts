/** How the POST of a dispatch is answered: what it waits for, and which status its end has. */
import type { FastifyReply } from 'fastify';
import type { DeskRun } from '../app/service/desk-run.js';
import { canonicalJson } from '../contract/canonical-json.js';
import { answerProblem } from './answer-problem.js';
import { problemOf } from './problem.js';
import type { DispatchDocument, RunBody } from './schemas/run-schema.js';

const DEFAULT_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 900;

/** Resolves when the run has ended or the caller's patience has (RFC 7240 `Prefer`). */
export const waitOf = async (run: DeskRun, prefer = ''): Promise<void> => {
  const words = prefer.split(',').map((word) => word.trim().toLowerCase());
  if (words.includes('respond-async')) return;
  const asked = words.map((word) => /^wait=(\d{1,6})$/.exec(word)?.[1]).find((seconds) => seconds !== undefined);
  const seconds = Math.min(Number(asked ?? DEFAULT_WAIT_SECONDS), LONGEST_WAIT_SECONDS);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([run.ended, patience]);
  clearTimeout(timer);
};

/** What an idempotency key stands for: the same members in any order are the same request. */
export const dispatchBody = (body: RunBody): string => canonicalJson(body);

export const answerDispatch = (reply: FastifyReply, document: DispatchDocument): FastifyReply => {
  reply.header('location', `/v1/dispatches/${document.id}`);
  if (document.state === 'running') return reply.code(202).send(document);
  const { code, message, facts, ...rest } = document;
  const isDone = document.outcome === 'sent' || document.outcome === 'host' || document.outcome === 'unknown';
  if (isDone || code === undefined) return reply.send(document);
  return answerProblem(
    reply,
    problemOf({ code, message: message ?? '', ...(facts === undefined ? {} : { facts }) }, rest),
  );
};
