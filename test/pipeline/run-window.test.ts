import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runWindow } from '../../src/pipeline/run-window.js';

const never = new AbortController().signal;

interface Piece {
  readonly id: number;
  readonly bytes: number;
}

/** Work that ends when the test says so. */
const openWork = () => {
  const ends = new Map<number, { resolve: () => void; reject: (reason: unknown) => void }>();
  const started: number[] = [];
  return {
    started,
    work: ({ id }: Piece): Promise<void> =>
      new Promise((resolve, reject) => {
        started.push(id);
        ends.set(id, { resolve, reject });
      }),
    end: (id: number) => ends.get(id)?.resolve(),
    fail: (id: number, reason: unknown) => ends.get(id)?.reject(reason),
  };
};

/** Lets everything that can go on go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const pieces = (...bytes: number[]): readonly Piece[] => bytes.map((size, id) => ({ id, bytes: size }));

describe('runWindow', () => {
  it.each([
    ['its end', async () => {}],
    ['a failure', () => Promise.reject(new Error('no'))],
  ])('listens to nothing of the caller after %s', async (_, work) => {
    const { signal } = new AbortController();
    await runWindow(() => pieces(1, 1, 1), work, { most: 2, mostBytes: 100, signal }).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('keeps as many pieces under way as fit by count and by bytes', async () => {
    const byCount = openWork();
    const first = runWindow(() => pieces(1, 1, 1, 1), byCount.work, { most: 2, mostBytes: 100, signal: never });
    await settle();
    expect(byCount.started).toEqual([0, 1]);
    byCount.end(1);
    await settle();
    expect(byCount.started).toEqual([0, 1, 2]);
    for (const id of [0, 2]) byCount.end(id);
    await settle();
    byCount.end(3);
    await first;

    const byBytes = openWork();
    const second = runWindow(() => pieces(60, 30, 20), byBytes.work, { most: 9, mostBytes: 100, signal: never });
    await settle();
    expect(byBytes.started).toEqual([0, 1]);
    for (const id of [0, 1]) byBytes.end(id);
    await settle();
    byBytes.end(2);
    await second;
  });

  it('lets a piece that is over the bound run, alone', async () => {
    const { work, started, end } = openWork();
    const running = runWindow(() => pieces(5, 500, 5), work, { most: 9, mostBytes: 100, signal: never });
    await settle();
    expect(started).toEqual([0]);
    end(0);
    await settle();
    expect(started).toEqual([0, 1]);
    end(1);
    await settle();
    end(2);
    await running;
  });

  it('stops the source at the first failure, which is the reason that counts', async () => {
    const { work, started, end, fail } = openWork();
    const story: string[] = [];
    const running = runWindow(
      async function* (signal): AsyncGenerator<Piece> {
        try {
          yield* pieces(1, 1, 1, 1);
        } finally {
          story.push(`closed, told: ${signal.aborted}`);
        }
      },
      work,
      { most: 2, mostBytes: 100, signal: never },
    );
    const outcome = running.catch((reason: unknown) => reason);
    await settle();
    fail(0, 'first');
    fail(1, 'second');
    expect(await outcome).toBe('first');
    end(1);
    expect(started).toEqual([0, 1]);
    expect(story).toEqual(['closed, told: true']);
  });

  it('gives the reason a source was told to stop for, not what the source made of it', async () => {
    const { work, fail } = openWork();
    const running = runWindow(
      async function* (signal): AsyncGenerator<Piece> {
        yield* pieces(1);
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('broken pipe'))),
        );
      },
      work,
      { most: 2, mostBytes: 100, signal: never },
    );
    const outcome = running.catch((reason: unknown) => reason);
    await settle();
    fail(0, 'over the cap');
    expect(await outcome).toBe('over the cap');
  });

  it('does not wait for running work once its caller has given the signal', async () => {
    const stop = new AbortController();
    const { work } = openWork();
    const outcome = runWindow(() => pieces(1), work, { most: 1, mostBytes: 1, signal: stop.signal }).catch(
      (reason: unknown) => reason,
    );
    await settle();
    stop.abort('by hand');
    expect(await outcome).toBe('by hand');
  });

  it('gives on what a source throws by itself', async () => {
    const broken = new Error('unreadable');
    const open = (): AsyncIterable<Piece> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(broken) }),
    });
    await expect(runWindow(open, openWork().work, { most: 1, mostBytes: 1, signal: never })).rejects.toBe(broken);
  });
});
