/**
 * The transport to an OpenAI-compatible provider over HTTP (provider.md).
 *
 * Whatever comes back passes one gate at the end that scrubs every string of it, so no reader below can forget to.
 */
import type { ProviderFailureCode } from '../contract/codes.js';
import { isProviderFailure } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import type { Answer, Credential, SendRequest, Transport } from '../contract/transport.js';
import { ANSWER_BYTES } from './answer-draft.js';
import { ERROR_BODY_BYTES } from './error-body.js';
import { STREAM_BOUNDS } from './event-stream.js';
import { type Bounds, type PreparedCall, type TryReport, tryOnce } from './one-try.js';
import { type ProxyServer, type ProxySettings, proxyFor } from './proxy.js';
import { requestBody } from './request-body.js';
import { waitBeforeRetry } from './retry.js';
import { type Scrub, scrubber } from './scrub.js';
import { trustedRoots } from './secure-socket.js';
import { type Clock, type Sleep, TIME_LIMITS, type TimeLimits, watchLimits } from './time-limits.js';

export interface HttpTransportOptions {
  readonly proxy: ProxySettings;
  /** The file that `NODE_EXTRA_CA_CERTS` names, or `null`. */
  readonly extraCaFile: string | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The time of day, for a `Retry-After` that names one; the system's where it is left out. */
  readonly now?: () => Date;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Constants for everybody but tests. */
  readonly limits?: TimeLimits;
  readonly bounds?: Bounds;
}

export const BOUNDS: Bounds = { ...STREAM_BOUNDS, answerBytes: ANSWER_BYTES, errorBodyBytes: ERROR_BODY_BYTES };

/**
 * `send` resolves with every failure of the provider as `ok: false`. It rejects only with the caller's abort reason, what
 * `beforeConnect` threw, a refusal before the call (`SETTING_REFUSED`, `CREDENTIAL_MISSING`) or a fault of ours.
 * `text` is scrubbed and otherwise as it came: make it printable before showing it.
 */
export const createHttpTransport = (options: HttpTransportOptions): Transport => ({
  send: async (request) => {
    const startMs = options.clock();
    checkRequest(request);
    const proxy = tryFor(() => proxyFor(request.provider.endpoint, options.proxy));
    const scrub = scrubber(secretsOf(request.credential, proxy.ok ? proxy.value : null));
    const body = await requestBody({ ...request, usageChunk: request.provider.usageChunk }, request.signal);
    const seen = { attempts: 0, connected: false };
    const ended = (report: Pick<TryReport, 'result' | 'state' | 'firstTokenMs'>): Answer =>
      answerFrom(report, scrub, {
        proxy: proxy.ok ? (proxy.value?.shown ?? null) : null,
        attempts: seen.attempts,
        neverConnected: !seen.connected,
        durationMs: options.clock() - startMs,
      });
    if (!proxy.ok) {
      return ended(unsent(proxy.error));
    }
    const { caFile } = request.provider;
    const roots = await trustedRoots([options.extraCaFile, caFile].filter((file) => file !== null)).then(
      (value) => ({ ok: true as const, value }),
      (error: unknown) => ({ ok: false as const, error: asOurs(error) }),
    );
    if (!roots.ok) {
      return ended(unsent(roots.error));
    }
    const call: PreparedCall = {
      request,
      body,
      line: { provider: request.provider, proxy: proxy.value, roots: roots.value },
      scrub,
      limits: options.limits ?? TIME_LIMITS,
      bounds: options.bounds ?? BOUNDS,
      clock: options.clock,
      now: options.now ?? (() => new Date()),
    };
    const deadlineMs = startMs + request.provider.totalTimeoutMs;
    for (;;) {
      seen.attempts += 1;
      await request.beforeConnect(seen.attempts);
      request.signal.throwIfAborted();
      const report = await limitedTry(call, options, deadlineMs);
      seen.connected ||= report.connected;
      const waitMs = waitBeforeRetry(report.end, seen.attempts, deadlineMs - options.clock(), options.random);
      if (waitMs === null) {
        return ended(report);
      }
      await options.sleep(waitMs, request.signal).catch(() => undefined);
      request.signal.throwIfAborted();
    }
  },
});

/** One try under its own clocks and what is left of the total. */
const limitedTry = async (
  call: PreparedCall,
  { clock, sleep }: HttpTransportOptions,
  deadlineMs: number,
): Promise<TryReport> => {
  const watch = watchLimits(clock, sleep);
  try {
    watch.start('total', deadlineMs - clock());
    return await tryOnce(call, watch, AbortSignal.any([call.request.signal, watch.signal]));
  } finally {
    watch.close();
  }
};

/** What no caller of ours may ask for, checked once more where it would leave. */
const checkRequest = ({ provider, brief, credential }: SendRequest): void => {
  const { endpoint } = provider;
  if (endpoint.remote && brief.kind !== 'sealed') {
    throw new ColdsealError('INTERNAL', 'Only a sealed bundle may be sent to a remote provider; nothing was sent.');
  }
  if (endpoint.remote && !/^https:/i.test(endpoint.baseUrl)) {
    throw new ColdsealError('INTERNAL', 'A remote provider is called over https only; nothing was sent.');
  }
  if (credential !== null && !/^[\x21-\x7e]+$/.test(credential.value)) {
    throw new ColdsealError(
      'CREDENTIAL_MISSING',
      `The credential "${credential.name}" is empty or holds characters that a header cannot carry, such as blanks or line ends. Set it again.`,
    );
  }
};

const secretsOf = (credential: Credential | null, proxy: ProxyServer | null): readonly string[] => [
  ...(credential === null ? [] : [credential.value]),
  ...(proxy?.secrets ?? []),
];

type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ColdsealError };

const tryFor = <T>(make: () => T): Tried<T> => {
  try {
    return { ok: true, value: make() };
  } catch (error) {
    return { ok: false, error: asOurs(error) };
  }
};

const asOurs = (error: unknown): ColdsealError => {
  if (error instanceof ColdsealError) {
    return error;
  }
  throw error;
};

const unsent = (error: ColdsealError): Pick<TryReport, 'result' | 'state' | 'firstTokenMs'> => ({
  result: { ok: false, error },
  state: { finishReason: null, modelReported: null, usage: null, id: null },
  firstTokenMs: null,
});

interface CallEnd {
  readonly proxy: string | null;
  readonly attempts: number;
  readonly neverConnected: boolean;
  readonly durationMs: number;
}

const answerFrom = (
  { result, state, firstTokenMs }: Pick<TryReport, 'result' | 'state' | 'firstTokenMs'>,
  scrub: Scrub,
  end: CallEnd,
): Answer => {
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
