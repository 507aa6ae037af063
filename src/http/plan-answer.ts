/**
 * A plan as an answer. The items' text is read out of the sealed bundle, so what a person looks at is what would be sent,
 * byte for byte; it goes into this one answer and is kept nowhere.
 */
import type { FastifyReply } from 'fastify';
import { itemTexts } from '../app/item-texts.js';
import { sendBundle } from '../app/send-bundle.js';
import type { SendResult } from '../app/send-result.js';
import type { SendWords } from '../app/send-words.js';
import type { ServiceContext } from '../app/service/service-context.js';
import { answerProblem } from './answer-problem.js';
import { problemOf } from './problem.js';
import { signalOf } from './request-signal.js';

export interface PlanWords {
  readonly words: SendWords;
  readonly folder: string;
  readonly withText: boolean;
}

const MOST_NOTES = 64;
/** A page cannot show more, and a document of it would have to be one string. */
const LARGEST_SHOWN_BYTES = 8 * 1024 * 1024;

export const answerPlan = async (
  context: ServiceContext,
  { words, folder, withText }: PlanWords,
  reply: FastifyReply,
) => {
  const notes: string[] = [];
  const say = (line: string): void => {
    if (notes.length < MOST_NOTES) notes.push(line);
  };
  const result = await context.desk.within({ folder, say, signal: signalOf(reply) }, (surroundings) =>
    sendBundle(surroundings, words, () => undefined),
  );
  const bundle = withText ? bundleWithTexts(result, say) : result.document.bundle;
  const { outcome, code, message, facts, route, record } = result.document;
  const shared = {
    route,
    ...(bundle === undefined ? {} : { bundle }),
    ...(record === undefined ? {} : { record }),
    notes,
  };
  if (outcome === 'planned') {
    context.metrics.planned(words.kind);
    return reply.send({ outcome, ...shared });
  }
  return answerProblem(
    reply,
    problemOf({ code: code ?? 'INTERNAL', message: message ?? '', ...(facts === undefined ? {} : { facts }) }, shared),
  );
};

const bundleWithTexts = ({ document, sealed }: SendResult, say: (line: string) => void) => {
  const { bundle } = document;
  if (bundle === undefined || sealed === null) return bundle;
  if (sealed.bytes > LARGEST_SHOWN_BYTES) {
    say(`the text of ${sealed.bytes} bytes is not shown; up to ${LARGEST_SHOWN_BYTES} bytes are`);
    return bundle;
  }
  const texts = itemTexts(sealed);
  return { ...bundle, items: bundle.items.map((item) => ({ ...item, text: texts.get(item.id) ?? '' })) };
};
