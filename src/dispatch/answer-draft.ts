/**
 * The answer as it comes together from chunks.
 *
 * A cut-off, empty, filtered or two-model answer is a failure, not a verdict, however much of it is there. What is known
 * by then (model, usage, id) can be asked for at any time and is kept beside the failure: it was billed.
 */
import { deniedBy } from '../contract/denylist.js';
import type { Usage } from '../contract/transport.js';
import { type AnswerEnd, endNotes, readNotes } from './answer-end.js';
import { callFailure } from './call-failure.js';
import { readErrorObject, reportsError } from './error-reader.js';
import { countOrNull, isObject, type JsonObject } from './json-shape.js';
import { quoted, reportedName } from './quote.js';
import type { Scrub } from './scrub.js';
import { type CallFacts, errorInAnswer } from './status-failure.js';

/** Most bytes of text in one answer. */
export const ANSWER_BYTES = 4 * 1024 * 1024;

interface DraftRules extends CallFacts {
  readonly denylist: readonly string[];
  readonly runBytes: number;
  readonly mostAnswerBytes: number;
  readonly scrub: Scrub;
}

export interface DraftState {
  readonly finishReason: string | null;
  readonly modelReported: string | null;
  readonly usage: Usage | null;
  readonly id: string | null;
}

export interface WholeAnswer extends DraftState {
  readonly text: string;
  readonly notes: readonly string[];
}

export interface AnswerDraft {
  /** Takes one chunk or one whole completion; true when it held text. Throws the failure that ends the call. */
  take(chunk: unknown): boolean;
  state(): DraftState;
  /** The answer, or the failure that its end makes of it. */
  finish(end: AnswerEnd): WholeAnswer;
}

export const startAnswer = (rules: DraftRules): AnswerDraft => {
  const texts: string[] = [];
  let textBytes = 0;
  let refused = false;
  let finishReason: string | null = null;
  let model: string | null = null;
  let usage: Usage | null = null;
  let id: string | null = null;

  const takeModel = (reported: unknown): void => {
    if (typeof reported !== 'string' || reported === '') {
      return;
    }
    if (model !== null && model !== reported) {
      throw callFailure(
        'PROVIDER_TWO_MODELS',
        `They are "${reportedName(model, rules.scrub)}" and "${reportedName(reported, rules.scrub)}".`,
      );
    }
    model = reported;
    if (deniedBy(model, rules.denylist) !== null) {
      throw callFailure('PROVIDER_MODEL_DENIED', `It is "${reportedName(model, rules.scrub)}".`);
    }
  };

  const takeText = (text: string): boolean => {
    textBytes += Buffer.byteLength(text);
    if (textBytes > rules.mostAnswerBytes) {
      throw callFailure('PROVIDER_TOO_LARGE', `Its text is over ${rules.mostAnswerBytes} bytes.`, {
        most_bytes: rules.mostAnswerBytes,
      });
    }
    texts.push(text);
    return text !== '';
  };

  const takeChoice = (choice: unknown): boolean => {
    if (!isObject(choice) || (choice['index'] ?? 0) !== 0) {
      throw callFailure('PROVIDER_ANSWER_INVALID', 'One answer was due; it has a choice that is none, or several.');
    }
    const message = choice['delta'] ?? choice['message'] ?? {};
    if (!isObject(message)) {
      throw callFailure('PROVIDER_ANSWER_INVALID', 'A choice of the answer holds no message.');
    }
    if (callsTool(message)) {
      throw callFailure('PROVIDER_TOOL_CALL', 'The answer was discarded.');
    }
    refused ||= typeof message['refusal'] === 'string' && message['refusal'] !== '';
    const hadText = takeText(contentText(message['content']));
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') {
      finishReason = reason;
    }
    return hadText;
  };

  const state = (): DraftState => ({
    finishReason: finishReason === null ? null : quoted(finishReason, rules.scrub),
    modelReported: reportedName(model, rules.scrub),
    usage,
    id: reportedName(id, rules.scrub),
  });

  return {
    state,
    take: (chunk) => {
      if (!isObject(chunk)) {
        throw callFailure('PROVIDER_ANSWER_INVALID', 'A part of the answer is JSON, but no object.');
      }
      takeModel(chunk['model']);
      usage = usageOf(chunk['usage']) ?? usage;
      id ??= typeof chunk['id'] === 'string' ? chunk['id'] : null;
      if (reportsError(chunk)) {
        throw errorInAnswer(readErrorObject(chunk, rules.scrub), rules);
      }
      const choices = chunk['choices'] ?? [];
      if (!Array.isArray(choices)) {
        throw callFailure('PROVIDER_ANSWER_INVALID', 'The `choices` of the answer are no list.');
      }
      return choices.map(takeChoice).some((hadText) => hadText);
    },
    finish: (end) => {
      const text = texts.join('');
      const sentBytes = rules.messageBytes;
      const hasText = text.trim() !== '';
      const notes = [
        ...endNotes({ reason: finishReason, end, hasText, refused, sentBytes }, rules.scrub),
        ...readNotes(usage?.promptTokens ?? null, sentBytes, rules.runBytes),
        ...(model === null ? ['The provider did not report a model.'] : []),
      ];
      return { ...state(), text, notes };
    },
  };
};

const callsTool = (message: JsonObject): boolean => {
  const calls = message['tool_calls'];
  const call = message['function_call'];
  return (Array.isArray(calls) && calls.length > 0) || (call !== undefined && call !== null);
};

/** A string, or a list of parts of which the text ones count. */
const contentText = (content: unknown): string => {
  if (content === null || content === undefined) {
    return '';
  }
  if (typeof content === 'string') {
    return content;
  }
  if (Array.isArray(content)) {
    return content.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
  }
  throw callFailure('PROVIDER_ANSWER_INVALID', 'The content of the answer is neither text nor a list of parts.');
};

const usageOf = (value: unknown): Usage | null =>
  isObject(value)
    ? { promptTokens: countOrNull(value['prompt_tokens']), completionTokens: countOrNull(value['completion_tokens']) }
    : null;
