/**
 * One call with a body that somebody else wrote, its answer handed on as it comes: the same line, certificates, proxy and
 * clocks as a call of ours, no reading of the answer, no second try. Whoever relays knows the client and when it leaves;
 * here only the provider's side is watched.
 */
import { SLICE_BYTES } from '../contract/json-escape.js';
import type { ProviderSettings } from '../contract/route.js';
import type { RequestSent } from '../contract/transport.js';
import { callFailure, faultCode } from './call-failure.js';
import { type AnswerHead, type Exchange, startExchange, type Upload } from './exchange.js';
import { type Line, openLine } from './open-line.js';
import { type ProxySettings, proxyFor } from './proxy.js';
import { type Scrub, scrubber } from './scrub.js';
import type { TrustedRoots } from './secure-socket.js';
import { type StreamScrub, streamScrubber } from './stream-scrub.js';
import { type Clock, type LimitWatch, type Sleep, TIME_LIMITS, type TimeLimits, watchLimits } from './time-limits.js';
import type { TlsSessions } from './tls-sessions.js';
import { asFailure, limitFailure, nothingSeen, redirectFailure, type Seen } from './try-failure.js';

export interface RelayCall {
  readonly provider: ProviderSettings;
  /** Below the base URL, e.g. `chat/completions`. */
  readonly path: string;
  /** What travels, the credential's header included; the length is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Values that are scrubbed from whatever the provider says. */
  readonly secrets: readonly string[];
  readonly proxy: ProxySettings;
  readonly extraCaFile: string | null;
  readonly trustedRoots: TrustedRoots;
  readonly sessions: TlsSessions;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Constants for everybody but tests. */
  readonly limits?: TimeLimits;
  /** Asked with the open line, right before the first byte of the body; throws to stop it. `null` through a proxy. */
  readonly beforeBody: (line: Line | null) => Promise<void>;
  readonly onSent: (sent: RequestSent) => void;
  readonly signal: AbortSignal;
}

export interface RelayedAnswer {
  readonly head: Pick<AnswerHead, 'status' | 'headers'>;
  readonly scrub: Scrub;
  /**
   * The body as it comes, scrubbed. Ending it early closes the provider's socket; it throws the provider failure that cut
   * it off, or the signal's reason. It must be read or ended, once.
   */
  body(): AsyncGenerator<Uint8Array, void>;
}

/** Resolves with the head. Rejects with a provider failure, what `beforeBody` threw, or the signal's reason. */
export const relayCall = async (call: RelayCall): Promise<RelayedAnswer> => {
  const seen = nothingSeen();
  const watch = watchLimits(call.clock, call.sleep);
  watch.start('total', call.provider.totalTimeoutMs);
  const signal = AbortSignal.any([call.signal, watch.signal]);
  const fail = (error: unknown): unknown => {
    if (call.signal.aborted) return call.signal.reason;
    if (seen.stopped !== null) return seen.stopped.reason;
    return limitFailure(watch, call.provider.totalTimeoutMs, seen) ?? asFailure(error, seen);
  };
  let exchange: Exchange | null = null;
  const end = async (): Promise<void> => {
    signal.removeEventListener('abort', abort);
    watch.close();
    exchange?.head.catch(() => undefined);
    await exchange?.close(signal.aborted);
  };
  // An answer that nobody begins to read has no other end.
  const abort = (): void => {
    void end();
  };
  try {
    const opened = await open(call, watch, signal, seen);
    exchange = opened.exchange;
    signal.addEventListener('abort', abort, { once: true });
    signal.throwIfAborted();
    const head = await exchange.head;
    watch.stop('upload');
    watch.stop('first-byte');
    requirePassable(head, opened.scrub);
    const { scrub, masks } = opened;
    const { idleMs } = call.limits ?? TIME_LIMITS;
    // Whatever breaks from here on has cut an answer off, also where the parser takes it for bad HTTP.
    const cut = (error: unknown): unknown => {
      const failure = fail(error);
      const isOurs = call.signal.aborted || watch.expired() !== null;
      return isOurs
        ? failure
        : callFailure('PROVIDER_CUT_OFF', `The connection ended: ${faultCode(error)}.`, {}, error);
    };
    return { head, scrub, body: () => passOn({ head, masks, watch, idleMs, fail: cut, end }) };
  } catch (error) {
    const failure = fail(error);
    await end();
    throw failure;
  }
};

interface Opened {
  readonly exchange: Exchange;
  readonly scrub: Scrub;
  readonly masks: StreamScrub;
}

const open = async (call: RelayCall, watch: LimitWatch, signal: AbortSignal, seen: Seen): Promise<Opened> => {
  const { provider, body } = call;
  const limits = call.limits ?? TIME_LIMITS;
  const proxy = proxyFor(provider.endpoint, call.proxy);
  const roots = await call.trustedRoots([call.extraCaFile, provider.caFile].filter((file) => file !== null));
  const secrets = [...call.secrets, ...(proxy?.secrets ?? [])];
  watch.start('connect', limits.connectMs);
  const line = await openLine({ provider, proxy, roots, sessions: call.sessions }, signal, () => {
    seen.connected = true;
  });
  watch.stop('connect');
  try {
    await call.beforeBody(proxy === null ? line : null);
  } catch (reason) {
    seen.stopped = { reason };
    line.socket.destroy();
    throw reason;
  }
  watch.start('upload', limits.idleMs);
  const exchange = startExchange(
    {
      baseUrl: provider.endpoint.baseUrl,
      path: call.path,
      headers: { ...call.headers, 'accept-encoding': 'identity', 'content-length': String(body.length) },
    },
    uploadOf(body),
    line,
    {
      onSlice: () => {
        if (!seen.bodyLeft) call.onSent('part');
        seen.bodyLeft = true;
        watch.touch('upload');
      },
      onSent: () => {
        call.onSent('whole');
        watch.stop('upload');
        watch.start('first-byte', limits.firstByteMs);
      },
    },
  );
  return { exchange, scrub: scrubber(secrets), masks: streamScrubber(secrets) };
};

const uploadOf = (body: Uint8Array): Upload => ({
  *slices() {
    for (let from = 0; from < body.length; from += SLICE_BYTES) yield body.subarray(from, from + SLICE_BYTES);
  },
});

/** A redirect is never followed, what is compressed cannot be scrubbed, and a status outside HTTP cannot be said again. */
const requirePassable = (head: AnswerHead, scrub: Scrub): void => {
  const { status } = head;
  if (status < 200 || status > 599) {
    throw callFailure('PROVIDER_ANSWER_INVALID', `Status ${status} is none of an answer in HTTP.`, { status });
  }
  if (status >= 300 && status < 400) throw redirectFailure(head, scrub);
  const encoding = head.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw callFailure('PROVIDER_ANSWER_INVALID', 'It is compressed, although plain bytes were asked for.');
  }
};

interface Passing {
  readonly head: AnswerHead;
  readonly masks: StreamScrub;
  readonly watch: LimitWatch;
  readonly idleMs: number;
  readonly fail: (error: unknown) => unknown;
  readonly end: () => Promise<void>;
}

async function* passOn({ head, masks, watch, idleMs, fail, end }: Passing): AsyncGenerator<Uint8Array, void> {
  try {
    watch.start('idle', idleMs);
    for await (const bytes of head.body) {
      // A client that is slow to take it is not the provider's idleness.
      watch.stop('idle');
      const passed = masks.take(bytes);
      if (passed.length > 0) yield passed;
      watch.start('idle', idleMs);
    }
    const rest = masks.end();
    if (rest.length > 0) yield rest;
  } catch (error) {
    throw fail(error);
  } finally {
    await end();
  }
}
