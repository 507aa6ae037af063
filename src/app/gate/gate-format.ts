/**
 * The two formats as far as they differ: where a call goes, which headers travel, and the shape of an error that the
 * client's library understands. Our closed code stands in every error; a refusal is not worth asking again, and says so.
 */
import { CODES } from '../../contract/codes.js';
import type { ColdsealError } from '../../contract/error.js';
import type { ProviderSettings } from '../../contract/route.js';
import type { Credential } from '../../contract/transport.js';

export type GateFormat = 'openai' | 'anthropic';

export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Of the client's headers these travel; of a list of values the first. */
const REQUEST_HEADERS: Readonly<Record<GateFormat, readonly string[]>> = {
  openai: ['openai-beta'],
  anthropic: ['anthropic-version', 'anthropic-beta'],
};
const HEADER_VALUE = /^[\w.,:/= -]{1,1024}$/;
const ANTHROPIC_VERSION = '2023-06-01';

/** Values that leave with the request, by name; one of another grammar stays behind. */
export const travellingHeaders = (format: GateFormat, headers: ClientHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    REQUEST_HEADERS[format].flatMap((name) => {
      const value = one(headers[name]);
      return value !== null && HEADER_VALUE.test(value) ? [[name, value]] : [];
    }),
  );

/** The headers of the call. A client that says who it is with `x-api-key` goes to a provider that expects the same. */
export const callHeaders = (
  format: GateFormat,
  headers: ClientHeaders,
  credential: Credential | null,
): Readonly<Record<string, string>> => {
  const wantsEvents = (one(headers['accept']) ?? '').includes('text/event-stream');
  const usesKey = format === 'anthropic' && headers['x-api-key'] !== undefined;
  return {
    'content-type': 'application/json',
    accept: wantsEvents ? 'text/event-stream, application/json' : 'application/json',
    ...(format === 'anthropic' ? { 'anthropic-version': ANTHROPIC_VERSION } : {}),
    ...travellingHeaders(format, headers),
    ...(credential === null
      ? {}
      : usesKey
        ? { 'x-api-key': credential.value }
        : { authorization: `Bearer ${credential.value}` }),
  };
};

/** Of the provider's headers these are passed on, and whatever begins like one of the prefixes. */
const ANSWER_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
  'x-request-id',
  'x-generation-id',
]);
const ANSWER_PREFIX = /^(?:x-ratelimit-|anthropic-ratelimit-|openai-processing-ms$|openai-version$)/;

export const passedHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  scrub: (text: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = one(value);
      return text !== null && (ANSWER_HEADERS.has(name) || ANSWER_PREFIX.test(name)) ? [[name, scrub(text)]] : [];
    }),
  );

const one = (value: string | readonly string[] | undefined): string | null =>
  (typeof value === 'string' ? value : value?.[0]) ?? null;

export interface WrittenError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An error of ours in the client's format. */
export const errorIn = (format: GateFormat, error: ColdsealError): WrittenError =>
  statusErrorIn(format, CODES[error.code].http, error);

/** The same with a status of its own. */
export const statusErrorIn = (
  format: GateFormat,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): WrittenError => {
  const type = errorType(status);
  const body =
    format === 'openai'
      ? { error: { message: `${code}: ${message}`, type, param: null, code } }
      : { type: 'error', error: { type, message: `${code}: ${message}`, code } };
  // What failed before the body left may be asked again, and a turn that was too many; nothing else.
  const retries = code === 'BUSY' || code === 'PROVIDER_UNREACHABLE';
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-should-retry': String(retries), 'x-coldseal-code': code },
    body: Buffer.from(JSON.stringify(body)),
  };
};

/** Types that both libraries know. */
const errorType = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 413) return 'request_too_large';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
};

/** The owner's list of models, answered here: nothing leaves for it. */
export const modelList = (
  format: GateFormat,
  { name, models }: Pick<ProviderSettings, 'name' | 'models'>,
): Readonly<Record<string, unknown>> => {
  const data = models.map((id) => modelEntry(format, name, id));
  if (format === 'openai') return { object: 'list', data };
  return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
};

export const modelEntry = (format: GateFormat, provider: string, id: string): Readonly<Record<string, unknown>> =>
  format === 'openai'
    ? { id, object: 'model', created: 0, owned_by: provider }
    : { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' };
