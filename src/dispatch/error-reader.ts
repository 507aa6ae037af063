/**
 * What a provider's error says, in the shapes that OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio and whatever stands in
 * front of them give it (provider.md, "Errors").
 *
 * Only `message`, `code`, `type` and the two token counts are looked at: OpenRouter's `metadata.flagged_input` holds the
 * prompt, `metadata.raw` may, and neither may reach a message or a log.
 */
import { isObject, type JsonObject, parseJson } from './json-shape.js';
import { NAME_BYTES, quoted } from './quote.js';
import type { Scrub } from './scrub.js';

export interface ProviderError {
  /** The provider's words, scrubbed, cut and printable; `null` when it said none. */
  readonly said: string | null;
  /** `error.code` or `error.type`, the same way. */
  readonly code: string | null;
  readonly promptTokens: number | null;
  readonly contextTokens: number | null;
  readonly cause: ErrorCause;
}

/** What the owner can do something about. */
type ErrorCause = 'context' | 'quota' | 'loading' | 'other';

const CONTEXT_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'string_above_max_length',
]);
const CONTEXT_WORDS = /context (?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens/i;

/** Reads the whole body of an error; text that is no JSON is quoted as it stands. */
export const readError = (body: string, scrub: Scrub): ProviderError => {
  const parsed = parseJson(body);
  return isObject(parsed) ? readErrorObject(parsed, scrub) : errorFrom(body, {}, scrub);
};

/** True for a JSON object that reports an error, in a 200 body or as an event. */
export const reportsError = (value: JsonObject): boolean =>
  (value['error'] !== undefined && value['error'] !== null) || value['object'] === 'error';

/** Reads an object that reports an error. */
export const readErrorObject = (value: JsonObject, scrub: Scrub): ProviderError => {
  const inner = value['error'];
  if (typeof inner === 'string') {
    return errorFrom(inner, value, scrub);
  }
  const fields = isObject(inner) ? inner : value;
  const said = fields['message'] ?? value['message'] ?? value['detail'] ?? '';
  return errorFrom(typeof said === 'string' ? said : '', fields, scrub);
};

const errorFrom = (said: string, fields: JsonObject, scrub: Scrub): ProviderError => {
  const codes = [fields['code'], fields['type']].filter((code) => typeof code === 'string' || typeof code === 'number');
  const named = codes.map(String).filter((code) => code !== '');
  const words = quoted(said, scrub);
  return {
    said: words === '' ? null : words,
    code: named[0] === undefined ? null : quoted(named[0], scrub, NAME_BYTES),
    promptTokens: tokens(fields['n_prompt_tokens']),
    contextTokens: tokens(fields['n_ctx']),
    cause: causeOf(named, said),
  };
};

const tokens = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const causeOf = (codes: readonly string[], said: string): ErrorCause => {
  if (codes.some((code) => CONTEXT_CODES.has(code)) || CONTEXT_WORDS.test(said)) {
    return 'context';
  }
  if (codes.includes('insufficient_quota')) {
    return 'quota';
  }
  return codes.includes('unavailable_error') || /loading model/i.test(said) ? 'loading' : 'other';
};
