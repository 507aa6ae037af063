import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSharedArena } from '../../../src/app/scan/shared-arena.js';

describe('the shared arena', () => {
  test('never gives two leases the same bytes, and takes back what a lease ends', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ take: fc.nat(300), ends: fc.boolean() })), (steps) => {
        const arena = createSharedArena(1024);
        const open: { lease: ReturnType<typeof arena.lease>; view: Uint8Array; mark: number }[] = [];
        steps.forEach(({ take, ends }, index) => {
          const lease = arena.lease();
          const view = lease.take(take);
          expect(view.length).toBe(take);
          expect(view.buffer).toBeInstanceOf(SharedArrayBuffer);
          view.fill(index & 255);
          open.push({ lease, view, mark: index & 255 });
          if (ends) open.shift()?.lease.release();
          for (const { view: other, mark } of open) expect(other.every((byte) => byte === mark)).toBe(true);
        });
      }),
    );
  });

  test('gives the front of the arena again, and memory of its own only to what does not fit', () => {
    const arena = createSharedArena(1024);
    const first = arena.lease();
    const early = first.take(100);
    const large = first.take(5000);
    expect(large.buffer).not.toBe(early.buffer);
    first.release();
    const second = arena.lease();
    expect(second.take(1000).byteOffset).toBe(early.byteOffset);
    expect(second.take(4000).buffer).toBe(large.buffer);
  });
});
