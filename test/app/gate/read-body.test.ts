import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBodyRoom, mostBodyBytes, readBody } from '../../../src/app/gate/read-body.js';
import type { Cap } from '../../../src/contract/bundle.js';

const MIB = 1024 * 1024;
const cap = (bytes: number): Cap => ({ bytes, origin: 'machine', key: 'coldseal.gate.cap' });
const { signal } = new AbortController();
const bodyOf = (...sizes: readonly number[]): Readable => Readable.from(sizes.map((size) => Buffer.alloc(size, 'x')));

describe('what is read of one body', () => {
  it.each<[cap: number, most: number]>([
    [1, 16 * MIB],
    [4 * MIB, 16 * MIB],
    [32 * MIB, 128 * MIB],
    [256 * MIB, 256 * MIB],
  ])('under a cap of %i bytes is at most %i bytes', (bytes, most) => {
    expect(mostBodyBytes(cap(bytes))).toBe(most);
  });

  it('ends where it is over that', async () => {
    const share = createBodyRoom().share();
    const read = readBody(bodyOf(16 * MIB, 1), cap(1), share, signal);
    await expect(read).rejects.toMatchObject({ code: 'ITEM_TOO_LARGE', facts: { most_bytes: 16 * MIB } });
  });

  it('ends when its client sends no more', async () => {
    const silent = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{');
      await sleep(60_000, undefined, { ref: false });
    };
    const read = readBody(silent(), cap(1), createBodyRoom().share(), signal, 20);
    await expect(read).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('the room of all bodies', () => {
  it('refuses the one that does not fit beside the others, and takes it when they have ended', async () => {
    const room = createBodyRoom(100);
    const [first, second] = [room.share(), room.share()];
    await readBody(bodyOf(60), cap(1), first, signal);
    const read = readBody(bodyOf(41), cap(1), second, signal);
    await expect(read).rejects.toMatchObject({ code: 'BUSY', facts: { held_bytes: 60, most_bytes: 100 } });
    second.release();
    first.release();
    first.release();
    expect((await readBody(bodyOf(100), cap(1), second, signal)).length).toBe(100);
  });

  it('takes one that is larger than the room when it is alone', async () => {
    const share = createBodyRoom(10).share();
    expect((await readBody(bodyOf(8, 8), cap(1), share, signal)).length).toBe(16);
  });
});
