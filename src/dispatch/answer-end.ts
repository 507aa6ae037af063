/**
 * Whether an answer that ended is an answer: by its finish reason, by how the stream ended, by whether there is text.
 *
 * The order matters, since the first that holds is what the person is told: an error before a cut, a cut before nothing.
 */
import { PROVIDER_FAILURES } from '../contract/codes.js';
import { callFailure } from './call-failure.js';
import { quoted } from './quote.js';
import { judgeRead } from './read-less.js';
import type { Scrub } from './scrub.js';

/** How the transport saw the answer end. */
export type AnswerEnd = 'done' | 'end-of-body' | 'broken';

interface EndFacts {
  /** The last finish reason; `null` when there was none. */
  readonly reason: string | null;
  readonly end: AnswerEnd;
  readonly hasText: boolean;
  /** The model refused in so many words. */
  readonly refused: boolean;
  readonly sentBytes: number;
}

/** Reasons that other servers give for a whole answer. */
const WHOLE: ReadonlySet<string> = new Set(['eos', 'eos_token', 'end_turn', 'stop_sequence']);
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length']);

/** Throws unless the end makes the answer usable; otherwise what a reader should know about it. */
export const endNotes = ({ reason, end, hasText, refused, sentBytes }: EndFacts, scrub: Scrub): string[] => {
  if (reason === 'error') {
    throw callFailure('PROVIDER_STATUS', 'The answer ended with the finish reason "error".', {
      finish_reason: 'error',
    });
  }
  if (reason === 'tool_calls' || reason === 'function_call') {
    throw callFailure('PROVIDER_TOOL_CALL', `The finish reason is "${reason}".`);
  }
  if (reason === 'content_filter' || refused) {
    throw callFailure(
      'PROVIDER_FILTERED',
      reason === 'content_filter' ? 'The finish reason is "content_filter".' : 'The answer is a refusal.',
    );
  }
  if (reason !== null && CUT.has(reason)) {
    throw callFailure('PROVIDER_CUT_OFF', `The finish reason is "${reason}".`, { finish_reason: reason });
  }
  if (reason === null && end !== 'done') {
    throw callFailure('PROVIDER_CUT_OFF', 'The stream ended with neither a finish reason nor `[DONE]`.');
  }
  if (reason !== null && reason !== 'stop' && !WHOLE.has(reason)) {
    throw callFailure('PROVIDER_ANSWER_INVALID', `The finish reason "${quoted(reason, scrub)}" is not a known one.`);
  }
  if (!hasText) {
    throw callFailure('PROVIDER_EMPTY', `${PROVIDER_FAILURES.PROVIDER_EMPTY.wayOut} ${sentBytes} bytes were sent.`);
  }
  const notes: string[] = [];
  if (reason === null) {
    notes.push('The answer ended without a finish reason.');
  }
  if (end === 'broken') {
    notes.push('The connection broke after the finish reason.');
  }
  return notes;
};

/** Throws when the provider's own count shows that it read only part; a note when the count is merely low. */
export const readNotes = (promptTokens: number | null, sentBytes: number, runBytes: number): string[] => {
  const read = judgeRead(promptTokens, sentBytes, runBytes);
  if (read.kind === 'less') {
    throw callFailure(
      'PROVIDER_READ_LESS',
      `It counted ${promptTokens} prompt tokens; ${sentBytes} bytes cannot be fewer than ${read.leastTokens}.`,
      { prompt_tokens: promptTokens, least_tokens: read.leastTokens, sent_bytes: sentBytes },
    );
  }
  return read.kind === 'note' ? [read.note] : [];
};
