/**
 * Calls to the service of this page's own origin, with the token in a header. A 401 ends the session wherever it happens:
 * the token is forgotten and the form comes back.
 */
import { forgetToken, keptToken } from '../session.js';
import { problemOf, RequestError, UNREACHABLE } from './problem.js';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The same key never does the same thing twice. */
  readonly idempotencyKey?: string;
  readonly accept?: string;
  /** Answered as soon as it is begun. */
  readonly isAsync?: boolean;
}

let onSignedOut: () => void = () => {};

/** The one who is told that the token is no longer good. */
export const whenSignedOut = (told: () => void): void => {
  onSignedOut = told;
};

/** The answer, when its status says that all is well. Rejects with a `RequestError`, or the signal's reason. */
export const call = async (path: string, options: Call = {}): Promise<Response> => {
  const { method = 'GET', body, signal, idempotencyKey, accept = 'application/json', isAsync = false } = options;
  const headers: Record<string, string> = { accept, authorization: `Bearer ${keptToken() ?? ''}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (isAsync) headers['prefer'] = 'respond-async';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  const response = await fetch(path, {
    method,
    headers,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new RequestError(UNREACHABLE);
  });
  if (response.ok) return response;
  const document: unknown = await response.json().catch(() => null);
  if (response.status === 401) {
    forgetToken();
    onSignedOut();
  }
  throw new RequestError(problemOf(response.status, document), document);
};

/** The answer's JSON document. Its shape is the service's promise (`/openapi.json`). */
export const callJson = async <T>(path: string, options: Call = {}): Promise<T> => {
  const response = await call(path, options);
  return (await response.json()) as T;
};
