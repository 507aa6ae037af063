/**
 * What the service answers when it does not do what was asked: RFC 9457 with our `code` and `message`. The status of a
 * code of the program stands in its own row (`contract/codes.ts`); what only HTTP can get wrong has its rows here.
 */
import { CODES, type Code, isRefusal } from '../contract/codes.js';
import { ColdsealError, type ErrorFacts } from '../contract/error.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** Refusals of the door, before anything of the program is asked. */
export const DOOR_CODES = {
  UNAUTHORIZED: { http: 401, message: 'this needs `Authorization: Bearer` and the token of this service’s token file' },
  ORIGIN_REFUSED: { http: 403, message: 'a page of another origin may not ask this service' },
  NOT_FOUND: { http: 404, message: 'there is nothing here by that name' },
  REQUEST_TIMEOUT: { http: 408, message: 'the request did not come within the time it may take' },
  BODY_TOO_LARGE: { http: 413, message: 'the body is larger than this route takes' },
  MEDIA_TYPE_REFUSED: { http: 415, message: 'this route does not take a body of that type' },
  HOST_REFUSED: {
    http: 421,
    message: 'the Host is not one this service answers to; the owner adds names at `coldseal.service.allow_hosts`',
  },
} as const;
export type DoorCode = keyof typeof DOOR_CODES;

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly outcome: 'refused' | 'provider_failed' | 'failed';
  readonly code: Code | DoorCode;
  readonly message: string;
  readonly [member: string]: unknown;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

const titleOf = (status: number): string => TITLES[status] ?? 'Error';

export const doorProblem = (code: DoorCode, message: string = DOOR_CODES[code].message): Problem => {
  const status = DOOR_CODES[code].http;
  return { type: 'about:blank', title: titleOf(status), status, outcome: 'refused', code, message };
};

/** `more` are members of the answer that stand beside, e.g. the bundle that a refusal is about. */
export const problemOf = (
  { code, message, facts }: { readonly code: Code; readonly message: string; readonly facts?: ErrorFacts },
  more: Readonly<Record<string, unknown>> = {},
): Problem => {
  const status = CODES[code].http;
  const outcome = isRefusal(code) ? 'refused' : code === 'INTERNAL' ? 'failed' : 'provider_failed';
  return {
    ...more,
    type: 'about:blank',
    title: titleOf(status),
    status,
    outcome,
    code,
    message,
    ...(facts === undefined || Object.keys(facts).length === 0 ? {} : { facts }),
  };
};

/** An error without a code is a fault of ours, and its message may quote what it choked on. */
export const problemOfError = (error: unknown): Problem =>
  error instanceof ColdsealError
    ? problemOf(error)
    : problemOf({
        code: 'INTERNAL',
        message: 'a fault of the service; its log names the place under the request’s id',
      });

/** Refused at the door: thrown by hooks and route handlers, answered by the one error handler. */
export class DoorRefusal extends Error {
  override readonly name = 'DoorRefusal';
  readonly problem: Problem;

  constructor(code: DoorCode, message?: string) {
    super(code);
    this.problem = doorProblem(code, message);
  }
}
