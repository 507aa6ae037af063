/** How a try failed: the failure a person reads, and whether the rule on trying again lets it be tried again. */
import { ColdsealError } from '../contract/error.js';
import { callFailure, faultCode } from './call-failure.js';
import { type AnswerHead, MOST_HEAD_BYTES } from './exchange.js';
import { quoted } from './quote.js';
import type { TryEnd } from './retry.js';
import type { Scrub } from './scrub.js';
import type { LimitWatch } from './time-limits.js';

/** What has happened so far in one try; noted as it happens. */
export interface Seen {
  /** The provider accepted a connection. */
  connected: boolean;
  bodyLeft: boolean;
  turnedAway: { readonly waitMs: number | null } | null;
  generationId: string | null;
  firstTokenMs: number | null;
  /** Why the caller stopped the call before its body. */
  stopped: { readonly reason: unknown } | null;
}

/** Before anything of a try has happened. */
export const nothingSeen = (): Seen => ({
  connected: false,
  bodyLeft: false,
  turnedAway: null,
  generationId: null,
  firstTokenMs: null,
  stopped: null,
});

/** A redirect is never followed. Where it points is said without its query: that may carry anything. */
export const redirectFailure = ({ status, headers }: AnswerHead, scrub: Scrub): ColdsealError => {
  const place = headers.location?.split(/[?#]/)[0] ?? '';
  const target = place === '' ? '' : ` to "${quoted(place, scrub)}"`;
  return callFailure('PROVIDER_REDIRECT', `Status ${status}${target}.`, { status });
};

/** The failure of a limit that ran out. An error body that took too long leaves the status as the failure. */
export const limitFailure = (watch: LimitWatch, totalMs: number, seen: Seen): ColdsealError | null => {
  const expired = watch.expired();
  if (expired === null || expired.name === 'error-body') {
    return null;
  }
  if (expired.name === 'connect') {
    const facts = { limit: 'connect', limit_ms: expired.ms };
    return seen.connected
      ? callFailure('PROVIDER_TLS', `The handshake did not end within ${expired.ms} ms.`, facts)
      : callFailure('PROVIDER_UNREACHABLE', `No connection within ${expired.ms} ms.`, facts);
  }
  const limit = expired.name === 'upload' ? 'idle' : expired.name;
  const ms = limit === 'total' ? totalMs : expired.ms;
  return callFailure('PROVIDER_TIMEOUT', `The limit "${limit}" of ${ms} ms ran out.`, { limit, limit_ms: ms });
};

/** Any fault as the failure it is to the person: by how far the call had come. */
export const asFailure = (error: unknown, seen: Seen): ColdsealError => {
  if (error instanceof ColdsealError) {
    return error;
  }
  const fault = faultCode(error);
  const facts = { fault };
  if (!seen.bodyLeft) {
    return callFailure('PROVIDER_UNREACHABLE', `The connection was closed before the request: ${fault}.`, facts, error);
  }
  if (fault.startsWith('HPE_') || fault === 'HTTPParserError') {
    return callFailure('PROVIDER_ANSWER_INVALID', `It is not HTTP: ${fault}.`, facts, error);
  }
  if (fault === 'UND_ERR_HEADERS_OVERFLOW') {
    return callFailure('PROVIDER_TOO_LARGE', `Its head is over ${MOST_HEAD_BYTES} bytes.`, facts, error);
  }
  return callFailure('PROVIDER_CUT_OFF', `The connection ended before an answer: ${fault}.`, facts, error);
};

/** Whether another try is allowed. */
export const tryEnd = (failure: ColdsealError, seen: Seen): TryEnd => {
  if (seen.turnedAway !== null) {
    return { kind: 'turned-away', waitMs: seen.turnedAway.waitMs };
  }
  const { facts } = failure;
  const settled =
    facts['certificate'] === true ||
    facts['elsewhere'] === true ||
    facts['limit'] === 'total' ||
    (typeof facts['proxy_status'] === 'number' && facts['proxy_status'] < 500);
  return seen.bodyLeft || settled ? { kind: 'final' } : { kind: 'before-body' };
};
