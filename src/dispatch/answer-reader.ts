/**
 * Reads a 2xx answer: an event stream, or one JSON object where the server ignored `stream`.
 *
 * The content type decides, nothing is guessed from the bytes. An event that is no JSON is a failure in an otherwise
 * whole stream; the same at the stream's end is what a cut leaves.
 */
import type { AnswerDraft } from './answer-draft.js';
import type { AnswerEnd } from './answer-end.js';
import { callFailure, faultCode } from './call-failure.js';
import { type StreamBounds, startEventReader } from './event-stream.js';
import type { AnswerHead } from './exchange.js';
import { isObject, parseJson } from './json-shape.js';
import { quoted } from './quote.js';
import type { Scrub } from './scrub.js';

interface AnswerProgress {
  /** Bytes came. */
  onRead(): void;
  /** A real event came; `withText` when it brought some of the answer. */
  onEvent(withText: boolean): void;
  /** True when the call was ended by its caller or a time limit: the fault is then theirs, not the stream's. */
  isEnded(): boolean;
}

/** Feeds the draft and says how the answer ended. Throws the failure that ends the call. */
export const readAnswer = async (
  head: AnswerHead,
  draft: AnswerDraft,
  bounds: StreamBounds,
  scrub: Scrub,
  progress: AnswerProgress,
): Promise<AnswerEnd> => {
  const encoding = one(head.headers['content-encoding']);
  if (encoding !== '' && encoding !== 'identity') {
    throw callFailure('PROVIDER_ANSWER_INVALID', 'It is compressed, although plain bytes were asked for.');
  }
  const type = one(head.headers['content-type']).split(';')[0]?.trim() ?? '';
  return type === 'text/event-stream'
    ? readEvents(head, draft, bounds, progress)
    : readObject(head, draft, bounds, scrub, progress);
};

const one = (value: string | string[] | undefined): string =>
  ((Array.isArray(value) ? value[0] : value) ?? '').trim().toLowerCase();

const readEvents = async (
  head: AnswerHead,
  draft: AnswerDraft,
  bounds: StreamBounds,
  progress: AnswerProgress,
): Promise<AnswerEnd> => {
  const events = startEventReader(bounds);
  try {
    for await (const bytes of head.body) {
      progress.onRead();
      for (const event of events.take(bytes)) {
        if (takeEvent(event, draft, progress) === 'done') {
          return 'done';
        }
      }
    }
  } catch (error) {
    return brokenEnd(error, draft, progress);
  }
  const last = events.end();
  if (last === null || (last.trim() !== '[DONE]' && parseJson(last) === undefined)) {
    return 'end-of-body';
  }
  return takeEvent(last, draft, progress) === 'done' ? 'done' : 'end-of-body';
};

const takeEvent = (event: string, draft: AnswerDraft, progress: AnswerProgress): 'done' | 'more' => {
  const text = event.trim();
  if (text === '[DONE]') {
    return 'done';
  }
  if (text === '') {
    return 'more';
  }
  const chunk = parseJson(text);
  if (chunk === undefined) {
    throw callFailure('PROVIDER_ANSWER_INVALID', 'An event of the stream is not JSON.');
  }
  progress.onEvent(draft.take(chunk));
  return 'more';
};

/** A break after the finish reason leaves a whole answer; before it, the answer is cut off. */
const brokenEnd = (error: unknown, draft: AnswerDraft, progress: AnswerProgress): AnswerEnd => {
  if (progress.isEnded() || isOurs(error)) {
    throw error;
  }
  if (draft.state().finishReason !== null) {
    return 'broken';
  }
  throw brokenBody(error);
};

const readObject = async (
  head: AnswerHead,
  draft: AnswerDraft,
  bounds: StreamBounds,
  scrub: Scrub,
  progress: AnswerProgress,
): Promise<AnswerEnd> => {
  const body = await readWhole(head, bounds.streamBytes, progress);
  if (body.trim() === '') {
    return 'done';
  }
  const parsed = parseJson(body);
  if (!isObject(parsed)) {
    throw callFailure(
      'PROVIDER_ANSWER_INVALID',
      `An event stream or one JSON object was due; it begins "${quoted(body, scrub)}".`,
    );
  }
  progress.onEvent(draft.take(parsed));
  if (!Array.isArray(parsed['choices'])) {
    throw callFailure('PROVIDER_ANSWER_INVALID', 'The JSON object has no `choices`.');
  }
  return 'done';
};

const readWhole = async (head: AnswerHead, mostBytes: number, progress: AnswerProgress): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const bytes of head.body) {
      progress.onRead();
      total += bytes.length;
      if (total > mostBytes) {
        throw callFailure('PROVIDER_TOO_LARGE', `Its body is over ${mostBytes} bytes.`, { most_bytes: mostBytes });
      }
      chunks.push(bytes);
    }
  } catch (error) {
    throw progress.isEnded() || isOurs(error) ? error : brokenBody(error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};

const isOurs = (error: unknown): boolean => error instanceof Error && error.name === 'ColdsealError';

const brokenBody = (error: unknown): Error => {
  const fault = faultCode(error);
  return callFailure('PROVIDER_CUT_OFF', `The connection broke inside the answer: ${fault}.`, { fault }, error);
};
