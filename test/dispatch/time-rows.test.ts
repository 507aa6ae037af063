import { describe, expect, it } from 'vitest';
import type { TimeLimits } from '../../src/dispatch/time-limits.js';
import { TIME_LIMITS, watchLimits } from '../../src/dispatch/time-limits.js';
import type { ScriptInput } from '../../src/sandbox/script.js';
import { realSleep, WIDE_LIMITS } from '../support/made-call.js';
import { playCall } from '../support/played-call.js';

type Replies = ScriptInput['replies'];

interface Row {
  readonly title: string;
  readonly replies: Replies;
  readonly limits?: Partial<TimeLimits>;
  readonly totalMs?: number;
  readonly tls?: boolean;
  readonly message?: string;
  readonly expected: object;
  readonly connections?: number;
}

const SHORT_MS = 150;
const ran = (limit: string) => ({
  ok: false,
  code: 'PROVIDER_TIMEOUT',
  facts: { limit, limit_ms: SHORT_MS },
  message: `A time limit of the call ran out. The limit "${limit}" of ${SHORT_MS} ms ran out.`,
});

const ROWS: readonly Row[] = [
  {
    title: 'first-byte: nothing comes after the request',
    replies: [{ silent: true, end: 'hang' }],
    limits: { firstByteMs: SHORT_MS },
    expected: ran('first-byte'),
  },
  {
    title: 'idle: the stream goes silent',
    replies: [{ events: [{ text: 'half' }], end: 'hang' }],
    limits: { idleMs: SHORT_MS },
    expected: ran('idle'),
  },
  {
    title: 'idle: the provider stops reading the request',
    replies: [{ read: { stopAfterBytes: 1000 }, silent: true, end: 'hang' }],
    limits: { idleMs: SHORT_MS },
    message: 'm'.repeat(16_000_000),
    expected: ran('idle'),
  },
  {
    title: 'idle: a JSON body that stays unfinished',
    replies: [{ json: { choices: [] }, headers: { 'content-length': '99' }, end: 'hang' }],
    limits: { idleMs: SHORT_MS },
    expected: ran('idle'),
  },
  {
    title: 'event: keep-alive comments come, but no event',
    replies: [
      { events: [{ text: 'half' }, { times: 10_000, event: { comment: 'x' } }], pace: { bytes: 5, everyMs: 10 } },
    ],
    limits: { eventMs: SHORT_MS },
    expected: ran('event'),
  },
  {
    title: 'event: bytes drip, no event ever ends',
    replies: [{ events: [{ text: 'a'.repeat(10_000) }], pace: { bytes: 1, everyMs: 10 } }],
    limits: { eventMs: SHORT_MS },
    expected: ran('event'),
  },
  {
    title: 'total: events keep coming',
    replies: [{ events: [{ times: 10_000, event: { text: 'a' } }], pace: { bytes: 200, everyMs: 10 } }],
    totalMs: SHORT_MS,
    expected: ran('total'),
  },
  {
    title: 'total: the call does not get as far as TLS',
    replies: [{ connection: 'stall' }],
    tls: true,
    totalMs: SHORT_MS,
    expected: ran('total'),
  },
  {
    title: 'error body: too slow, so the status stands and nothing is quoted',
    replies: [{ status: 500, text: 'half a word', headers: { 'content-length': '99' }, end: 'hang' }],
    limits: { errorBodyMs: SHORT_MS },
    expected: { ok: false, code: 'PROVIDER_STATUS', message: 'The provider answered with an error. Status 500.' },
  },
  {
    title: 'error body: a 429 that is not whole in time is not tried again',
    replies: [{ status: 429, text: 'half', headers: { 'content-length': '99' }, end: 'hang' }],
    limits: { errorBodyMs: SHORT_MS },
    expected: { ok: false, code: 'PROVIDER_STATUS', attempts: 1 },
  },
  {
    title: 'connect: a handshake that never ends is tried again, nothing having left',
    replies: [{ connection: 'stall' }, { connection: 'stall' }, { connection: 'stall' }],
    tls: true,
    limits: { connectMs: SHORT_MS },
    expected: {
      ok: false,
      code: 'PROVIDER_TLS',
      attempts: 3,
      neverConnected: false,
      facts: { limit: 'connect', limit_ms: SHORT_MS },
    },
    connections: 3,
  },
];

describe('a time limit', { timeout: 60_000 }, () => {
  it.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const { answer, connections } = await playCall({
      replies: row.replies,
      ...(row.tls === undefined ? {} : { tls: row.tls }),
      ...(row.message === undefined ? {} : { message: row.message }),
      ...(row.totalMs === undefined ? {} : { provider: { totalTimeoutMs: row.totalMs } }),
      transport: { limits: { ...WIDE_LIMITS, ...row.limits } },
    });
    expect(answer).toMatchObject(row.expected);
    expect(connections).toBe(row.connections ?? 1);
  });

  it('leaves a slow answer alone that gets on', async () => {
    const { answer } = await playCall({
      replies: [
        {
          waitMs: 120,
          events: [
            { text: 'a' },
            { waitMs: 120 },
            { comment: 'still here' },
            { waitMs: 120 },
            { text: 'b' },
            { finish: 'stop' },
            { done: true },
          ],
        },
      ],
      transport: { limits: { ...WIDE_LIMITS, firstByteMs: 20_000, idleMs: 20_000, eventMs: 20_000 } },
    });
    expect(answer).toMatchObject({ ok: true, text: 'ab' });
  });

  it('has the constants that the owner is told of', () => {
    expect(TIME_LIMITS).toEqual({
      connectMs: 30_000,
      firstByteMs: 300_000,
      idleMs: 120_000,
      eventMs: 600_000,
      errorBodyMs: 30_000,
    });
  });
});

describe('the watch over the limits', () => {
  /** A clock that only sleeping moves. */
  const madeTime = () => {
    let nowMs = 0;
    return {
      clock: () => nowMs,
      sleep: async (ms: number) => {
        await Promise.resolve();
        nowMs += ms;
      },
    };
  };

  it('ends with the limit whose deadline comes first', async () => {
    const { clock, sleep } = madeTime();
    const watch = watchLimits(clock, sleep);
    watch.start('total', 1000);
    watch.start('idle', 200);
    await new Promise((resolve) => watch.signal.addEventListener('abort', resolve));
    expect(watch.expired()).toEqual({ name: 'idle', ms: 200 });
    expect(clock()).toBeLessThanOrEqual(1000);
  });

  it('ends with no limit once it is closed', async () => {
    const watch = watchLimits(() => Date.now(), realSleep);
    watch.start('idle', 20);
    watch.close();
    await realSleep(60, new AbortController().signal);
    expect(watch.signal.aborted).toBe(false);
    expect(watch.expired()).toBeNull();
  });

  it('gives a touched limit its whole length again', async () => {
    let nowMs = 0;
    let wakes = 0;
    const watch = watchLimits(
      () => nowMs,
      async (ms) => {
        nowMs += ms;
        wakes += 1;
        if (wakes === 1) {
          nowMs -= 1;
          watch.touch('idle');
        }
      },
    );
    watch.start('idle', 100);
    await new Promise((resolve) => watch.signal.addEventListener('abort', resolve));
    expect(nowMs).toBe(199);
  });
});
