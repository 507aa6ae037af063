/** What went wrong with a request, in the words of a notice: what happened, and what to do. */
import { CODES, type Code, isCode } from '../../contract/codes.js';

export interface Problem {
  /** 0 when the service could not be reached at all. */
  readonly status: number;
  readonly code: Code | null;
  readonly message: string;
  readonly wayOut: string;
}

/** Thrown by every call of the page's client. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly problem: Problem;
  /** The problem document as it came: a plan that would be refused says in it what it planned. */
  readonly document: unknown;

  constructor(problem: Problem, document: unknown = null) {
    super(problem.message);
    this.problem = problem;
    this.document = document;
  }
}

export const UNREACHABLE: Problem = {
  status: 0,
  code: null,
  message: 'The service does not answer.',
  wayOut: 'See whether `coldseal serve` still runs on this machine, then try again.',
};

/** A problem document (RFC 9457) as a problem; an answer of any other shape is told by its status. */
export const problemOf = (status: number, body: unknown): Problem => {
  const document = isRecord(body) ? body : {};
  const code = typeof document['code'] === 'string' && isCode(document['code']) ? document['code'] : null;
  const said = [document['detail'], document['message'], document['title']].find((text) => typeof text === 'string');
  return {
    status,
    code,
    message: typeof said === 'string' ? said : `The service answered with status ${status}.`,
    wayOut: code === null ? wayOutOf(status) : CODES[code].wayOut,
  };
};

export const problemOfError = (error: unknown): Problem =>
  error instanceof RequestError
    ? error.problem
    : {
        status: 0,
        code: null,
        message: 'The page met a fault of its own.',
        wayOut: 'Load it again; if it stays, report what you did.',
      };

const wayOutOf = (status: number): string => {
  if (status === 401) return 'Give the token of the service that runs now; each start has its own.';
  if (status === 404) return 'It may have been made by another service, or its name is misspelt.';
  if (status === 429) return 'Wait until a run has ended, then try again.';
  if (status >= 500) return 'Look at the service’s log; then try again.';
  return 'Change what you asked for and try again.';
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
