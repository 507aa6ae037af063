/**
 * The transport to an OpenAI-compatible provider over HTTP: checks what may leave, tries, waits, tries again.
 *
 * `beforeConnect` runs before every try, so a machine file that changed between two tries ends the call.
 */
import { ColdsealError } from '../contract/error.js';
import type { Answer, Credential, SendRequest, Transport } from '../contract/transport.js';
import { ANSWER_BYTES } from './answer-draft.js';
import { answerFrom, type CallReport, unsent } from './answer-gate.js';
import { ERROR_BODY_BYTES } from './error-body.js';
import { STREAM_BOUNDS } from './event-stream.js';
import { type Bounds, type PreparedCall, type TryReport, tryOnce } from './one-try.js';
import type { LinePlan } from './open-line.js';
import { type ProxyServer, type ProxySettings, proxyFor } from './proxy.js';
import { requestBody } from './request-body.js';
import { waitBeforeRetry } from './retry.js';
import { scrubber } from './scrub.js';
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

const BOUNDS: Bounds = { ...STREAM_BOUNDS, answerBytes: ANSWER_BYTES, errorBodyBytes: ERROR_BODY_BYTES };

/**
 * `send` resolves with every failure of the provider as `ok: false`. It rejects only with the caller's abort reason, what
 * `beforeConnect` threw, a refusal before the call (`SETTING_REFUSED`, `CREDENTIAL_MISSING`) or a fault of ours.
 * `text` is scrubbed and otherwise as it came: make it printable before showing it.
 */
export const createHttpTransport = (options: HttpTransportOptions): Transport => ({
  send: async (request) => {
    const startMs = options.clock();
    checkRequest(request);
    const line = await planLine(request, options);
    const scrub = scrubber(secretsOf(request.credential, line.ok ? line.plan.proxy : null));
    const body = await requestBody({ ...request, usageChunk: request.provider.usageChunk }, request.signal);
    const seen = { attempts: 0, connected: false };
    const ended = (report: CallReport): Answer =>
      answerFrom(report, scrub, {
        proxy: line.ok ? (line.plan.proxy?.shown ?? null) : null,
        attempts: seen.attempts,
        neverConnected: !seen.connected,
        durationMs: options.clock() - startMs,
      });
    if (!line.ok) {
      return ended(unsent(line.error));
    }
    const call: PreparedCall = {
      request,
      body,
      line: line.plan,
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

type PlannedLine =
  | { readonly ok: true; readonly plan: LinePlan }
  | { readonly ok: false; readonly error: ColdsealError };

/** Proxy and certificates, settled before anything is tried: a setting that cannot be used ends the call at once. */
const planLine = async ({ provider }: SendRequest, options: HttpTransportOptions): Promise<PlannedLine> => {
  try {
    const proxy = proxyFor(provider.endpoint, options.proxy);
    const roots = await trustedRoots([options.extraCaFile, provider.caFile].filter((file) => file !== null));
    return { ok: true, plan: { provider, proxy, roots } };
  } catch (error) {
    if (error instanceof ColdsealError) {
      return { ok: false, error };
    }
    throw error;
  }
};
