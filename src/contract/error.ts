/**
 * The one error class. Callers branch on `code`, never on the message.
 *
 * A message says what happened, the value and the limit with units, and what to do next. It never holds an item's text
 * or a secret's value: it is printed, logged and served.
 */
import type { Code } from './codes.js';

export interface ErrorFacts {
  /** Extra members for the JSON answer: closed words and numbers only. */
  readonly [name: string]: string | number | boolean | null | undefined;
}

export class ColdsealError extends Error {
  override readonly name = 'ColdsealError';
  readonly code: Code;
  readonly facts: ErrorFacts;

  constructor(code: Code, message: string, options: { readonly cause?: unknown; readonly facts?: ErrorFacts } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.facts = options.facts ?? {};
  }
}
