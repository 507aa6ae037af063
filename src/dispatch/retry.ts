/**
 * When a call is tried again, and after how long.
 *
 * Only while nothing of the body has left, or after a whole 429 or 503 answer, which means that the bundle was not taken.
 * After the first byte everything else stands: a second try could be billed twice.
 */

/** Further tries after the first. */
const MOST_RETRIES = 2;
const RETRY_WAIT_MS = 5_000;
/** A wait that nobody named is made longer by up to this share, so that a fleet does not come back as one. */
const SPREAD = 0.1;

/** How a try ended, as far as trying again is concerned. */
export type TryEnd =
  | { readonly kind: 'final' }
  /** Lookup, connection or handshake failed; nothing of the body left. */
  | { readonly kind: 'before-body' }
  /** A whole answer of status 429 or 503, with the time it named. */
  | { readonly kind: 'turned-away'; readonly waitMs: number | null };

/** Milliseconds to wait before the next try, or `null` when this was the last. */
export const waitBeforeRetry = (end: TryEnd, attempt: number, leftMs: number, random: () => number): number | null => {
  if (end.kind === 'final' || attempt > MOST_RETRIES) {
    return null;
  }
  const named = end.kind === 'turned-away' ? end.waitMs : null;
  const waitMs = named ?? Math.round(RETRY_WAIT_MS * (1 + SPREAD * random()));
  return waitMs < leftMs ? waitMs : null;
};

/**
 * The wait an answer names: `retry-after-ms` in milliseconds, else `retry-after` in seconds or as a date. A date that is
 * past means now; anything that does not read is no wait named.
 */
export const namedWaitMs = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  nowMs: number,
): number | null => {
  const exact = number(one(headers['retry-after-ms']));
  if (exact !== null) {
    return exact;
  }
  const text = one(headers['retry-after']);
  const seconds = number(text);
  if (seconds !== null) {
    return Math.round(seconds * 1000);
  }
  const at = text === null || !/[a-z]/i.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
};

const one = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value)?.trim() ?? null;

const number = (text: string | null): number | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
