/**
 * The one gate that everything a provider said passes on its way out: every string is scrubbed here once more, so that no
 * reader before it can forget to.
 */
import { isProviderFailure, type ProviderFailureCode } from '../contract/codes.js';
import type { ColdsealError } from '../contract/error.js';
import type { Answer } from '../contract/transport.js';
import type { TryReport } from './one-try.js';
import type { Scrub } from './scrub.js';

/** What the last try came to. */
export type CallReport = Pick<TryReport, 'result' | 'state' | 'firstTokenMs'>;

/** A call that ended before a try. */
export const unsent = (error: ColdsealError): CallReport => ({
  result: { ok: false, error },
  state: { finishReason: null, modelReported: null, usage: null, id: null },
  firstTokenMs: null,
});

export interface CallEnd {
  readonly proxy: string | null;
  readonly attempts: number;
  readonly neverConnected: boolean;
  readonly durationMs: number;
}

/** The answer with every string of it scrubbed. A failure that is no provider's is thrown on as it is. */
export const answerFrom = ({ result, state, firstTokenMs }: CallReport, scrub: Scrub, end: CallEnd): Answer => {
  const shared = {
    modelReported: scrubbed(state.modelReported, scrub),
    usage: state.usage,
    generationId: scrubbed(state.id, scrub),
    proxy: end.proxy,
    attempts: end.attempts,
    durationMs: end.durationMs,
  };
  if (result.ok) {
    const { text, finishReason, notes } = result.answer;
    return {
      ...shared,
      ok: true,
      text: scrub(text),
      finishReason: scrubbed(finishReason, scrub),
      notes: notes.map(scrub),
      firstTokenMs,
    };
  }
  const code = failureCode(result.error);
  return {
    ...shared,
    ok: false,
    code,
    message: scrub(result.error.message),
    facts: Object.fromEntries(
      Object.entries(result.error.facts).map(([name, value]) => [
        name,
        typeof value === 'string' ? scrub(value) : (value ?? null),
      ]),
    ),
    neverConnected: end.neverConnected && code === 'PROVIDER_UNREACHABLE',
  };
};

const scrubbed = (text: string | null, scrub: Scrub): string | null => (text === null ? null : scrub(text));

/** Below the transport only provider failures are thrown as answers; anything else is rethrown as it is. */
const failureCode = (error: ColdsealError): ProviderFailureCode => {
  if (isProviderFailure(error.code)) {
    return error.code;
  }
  throw error;
};
