/** From an error's status and words to the failure a person reads: what the provider said, and what to change. */
import type { Brief } from '../contract/transport.js';
import { callFailure } from './call-failure.js';
import type { ProviderError } from './error-reader.js';

/** What a message may name: sizes, the settings key that changes them, the credential's name. Never a value. */
export interface CallFacts {
  readonly brief: Brief;
  readonly messageBytes: number;
  readonly credentialName: string | null;
}

/** `error` is `null` when its body did not arrive whole, so none of it is quoted. */
export const statusFailure = (status: number, error: ProviderError | null, call: CallFacts): Error => {
  const said = error?.said == null ? '' : ` It said: "${error.said}"`;
  const way = wayOut(status, error, call);
  return callFailure(
    'PROVIDER_STATUS',
    `Status ${status}${error?.code == null ? '' : ` (${error.code})`}.${said}${way === '' ? '' : ` ${way}`}`,
    { status, ...errorFacts(error) },
  );
};

/** An error that came inside a 200 answer, as a body or as an event. */
export const errorInAnswer = (error: ProviderError, call: CallFacts): Error => {
  const said = error.said === null ? '' : ` It said: "${error.said}"`;
  const way = wayOut(Number(error.code ?? 0), error, call);
  return callFailure(
    'PROVIDER_STATUS',
    `The error came inside an answer of status 200${error.code === null ? '' : ` (${error.code})`}.${said}${way === '' ? '' : ` ${way}`}`,
    { status: 200, ...errorFacts(error) },
  );
};

const errorFacts = (error: ProviderError | null): Readonly<Record<string, string | number | null>> =>
  error === null
    ? {}
    : {
        error_code: error.code,
        ...(error.cause === 'other' ? {} : { cause: error.cause }),
        ...(error.promptTokens === null ? {} : { prompt_tokens: error.promptTokens }),
        ...(error.contextTokens === null ? {} : { context_tokens: error.contextTokens }),
      };

const wayOut = (status: number, error: ProviderError | null, call: CallFacts): string => {
  if (error?.cause === 'context' || status === 413) {
    const tokens =
      error?.promptTokens != null && error.contextTokens !== null
        ? ` (${error.promptTokens} tokens where ${error.contextTokens} fit)`
        : '';
    return `${call.messageBytes} bytes were sent${tokens}. ${lowerCap(call.brief)}`;
  }
  if (error?.cause === 'quota') {
    return 'The account has no quota left; it is not a matter of waiting.';
  }
  switch (status) {
    case 401:
      return call.credentialName === null
        ? 'The provider asks for a credential and none is named: set `key` in its block of the machine file.'
        : `The credential "${call.credentialName}" was not accepted.`;
    case 402:
      return 'The account has no credits left.';
    case 403:
      return 'The account may not use this model, or the provider’s moderation refused the request.';
    case 404:
      return 'The model or the path is unknown there: check `base_url` and the model’s name.';
    case 408:
    case 429:
    case 502:
    case 503:
    case 529:
      return error?.cause === 'loading' ? 'The model is still loading; run again.' : 'The provider is busy; run again.';
    default:
      return '';
  }
};

const lowerCap = (brief: Brief): string =>
  brief.kind === 'sealed'
    ? `Lower the cap of ${brief.bundle.cap.bytes} bytes (\`${brief.bundle.cap.key}\`), withhold some of the largest items, or choose a model with more context.`
    : 'Raise the server’s context length or send less.';
