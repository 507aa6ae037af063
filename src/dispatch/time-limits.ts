/**
 * The call's clocks: each limit runs from when it was started or last touched, and the first to run out ends the call.
 *
 * One sleeper serves all limits. Touching a limit only moves its deadline; the sleeper looks again when it wakes, so a
 * stream of a million small reads costs no timers. undici's own timeouts are off: they run whatever an abort signal says.
 */

/** `total` is the provider's own; the rest are constants (provider.md, "Time"). */
export interface TimeLimits {
  /** Name lookup, connection, proxy and TLS handshake of one try. */
  readonly connectMs: number;
  /** From the last byte of the request, or its last progress, to the answer's first. */
  readonly firstByteMs: number;
  /** Between two reads of the answer, or two writes of the request. */
  readonly idleMs: number;
  /** Between two real events, keep-alive comments aside. */
  readonly eventMs: number;
  /** To read the body of an error. */
  readonly errorBodyMs: number;
}

export const TIME_LIMITS: TimeLimits = {
  connectMs: 30_000,
  firstByteMs: 300_000,
  idleMs: 120_000,
  eventMs: 600_000,
  errorBodyMs: 30_000,
};

type LimitName = 'connect' | 'upload' | 'first-byte' | 'idle' | 'event' | 'error-body' | 'total';

/** Milliseconds since any moment; should not be set back while a call runs. */
export type Clock = () => number;
/** Resolves after the time, or settles either way once the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface LimitWatch {
  /** Aborts when a limit runs out. */
  readonly signal: AbortSignal;
  /** Starts a limit, or starts it anew. */
  start(name: LimitName, ms: number): void;
  /** Moves a running limit's deadline to a full length from now. */
  touch(name: LimitName): void;
  stop(name: LimitName): void;
  /** The limit that ran out, with its length. */
  expired(): { readonly name: LimitName; readonly ms: number } | null;
  /** Milliseconds until the limit's deadline; infinite when it is not running. */
  left(name: LimitName): number;
  /** Ends the sleeper; no limit runs out afterwards. */
  close(): void;
}

/** Timers hold 31 bits of milliseconds. */
const LONGEST_SLEEP_MS = 0x7fffffff;

export const watchLimits = (clock: Clock, sleep: Sleep): LimitWatch => {
  const running = new Map<LimitName, { readonly ms: number; at: number }>();
  const ended = new AbortController();
  let nap = new AbortController();
  let wakesAt = Number.POSITIVE_INFINITY;
  let expired: { name: LimitName; ms: number } | null = null;
  let asleep = false;
  let closed = false;

  const earliest = (): [LimitName, { readonly ms: number; at: number }] | undefined => {
    let first: [LimitName, { readonly ms: number; at: number }] | undefined;
    for (const entry of running) {
      if (first === undefined || entry[1].at < first[1].at) {
        first = entry;
      }
    }
    return first;
  };

  const watch = async (): Promise<void> => {
    asleep = true;
    for (let next = earliest(); next !== undefined && !closed && expired === null; next = earliest()) {
      const [name, limit] = next;
      const waitMs = limit.at - clock();
      if (waitMs <= 0) {
        expired = { name, ms: limit.ms };
        ended.abort(new Error(`the ${name} limit ran out`));
        break;
      }
      nap = new AbortController();
      wakesAt = limit.at;
      await sleep(Math.min(waitMs, LONGEST_SLEEP_MS), nap.signal).catch(() => undefined);
    }
    asleep = false;
    wakesAt = Number.POSITIVE_INFINITY;
  };

  return {
    signal: ended.signal,
    start: (name, ms) => {
      const at = clock() + ms;
      running.set(name, { ms, at });
      if (!asleep && !closed) {
        void watch();
      } else if (at < wakesAt) {
        nap.abort();
      }
    },
    touch: (name) => {
      const limit = running.get(name);
      if (limit !== undefined) {
        limit.at = clock() + limit.ms;
      }
    },
    stop: (name) => {
      running.delete(name);
    },
    expired: () => expired,
    left: (name) => (running.get(name)?.at ?? Number.POSITIVE_INFINITY) - clock(),
    close: () => {
      closed = true;
      running.clear();
      nap.abort();
    },
  };
};
