/**
 * A run's live events for one reader. There is no queue: the reader is told the state as it is when it reads, so one that
 * is slow passes over steps and one that comes late begins with the present. The watch ends with the run or the reader.
 */
import type { FastifyReply } from 'fastify';
import type { DeskRun } from '../app/service/desk-run.js';
import { dispatchDocumentOf, progressOf } from './dispatch-document.js';

/** A line that says nothing, so that whatever stands between keeps the connection. */
const BEAT_MS = 15_000;
/** Nobody sees more steps a second. */
const LEAST_MS = 50;

const event = (name: string, shown: unknown): string => `event: ${name}\ndata: ${JSON.stringify(shown)}\n\n`;

export async function* runEvents(run: DeskRun, reply: FastifyReply): AsyncGenerator<string> {
  let isNew = true;
  let isGone = false;
  /** Nothing is told before the least time is over: what is new meanwhile is told at its end. */
  let isResting = false;
  let wake: () => void = () => undefined;
  const unwatch = run.watch(() => {
    isNew = true;
    if (!isResting) wake();
  });
  reply.raw.once('close', () => {
    isGone = true;
    wake();
  });
  /** Resolves when it is woken, or after that time. */
  const next = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  try {
    while (!isGone) {
      if (!isNew) {
        await next(BEAT_MS);
        if (!isNew) yield ': beat\n\n';
        continue;
      }
      isNew = false;
      if (run.end() !== null) {
        yield event('ended', dispatchDocumentOf(run));
        return;
      }
      yield event('progress', { id: run.id, ...progressOf(run) });
      isResting = true;
      await next(LEAST_MS);
      isResting = false;
    }
  } finally {
    unwatch();
  }
}
