import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitParts } from '../../../src/app/bench/split-parts.js';

describe('splitParts', () => {
  it('keeps every item once and in order, and lets a part over its size only when it is one item', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 })), fc.integer({ min: 1, max: 60 }), (sizes, partBytes) => {
        const items = sizes.map((bytes, at) => ({ item: { at, bytes }, bytes }));
        const parts = splitParts(items, partBytes);
        expect(parts.flat()).toEqual(items.map(({ item }) => item));
        for (const part of parts) {
          const bytes = part.reduce((sum, one) => sum + one.bytes, 0);
          expect(part.length).toBeGreaterThan(0);
          expect(bytes <= partBytes || part.filter((one) => one.bytes > 0).length === 1).toBe(true);
        }
      }),
    );
  });

  it('makes no part of nothing', () => {
    expect(splitParts([])).toEqual([]);
  });
});
