/**
 * A provider failure in the making: the code's one fixed sentence, then what this call saw.
 *
 * The detail is ours, or a provider's words that were already scrubbed and cut. Nothing else may be put in, because the
 * message is printed, logged and served.
 */
import { CODES, type ProviderFailureCode } from '../contract/codes.js';
import { ColdsealError, type ErrorFacts } from '../contract/error.js';

/** Throw it anywhere below the transport; the transport turns it into an answer that is not ok. */
export const callFailure = (
  code: ProviderFailureCode,
  detail: string,
  facts: ErrorFacts = {},
  cause?: unknown,
): ColdsealError => new ColdsealError(code, `${CODES[code].meaning} ${detail}`, { facts, cause });

/** The machine's own word for what went wrong with a socket, e.g. `ECONNREFUSED`. Never an error's free text. */
export const faultCode = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return faultCode(error.errors[0]);
  }
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'unknown fault';
};
