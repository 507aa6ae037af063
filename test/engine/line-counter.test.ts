/** Lines are counted four bytes at once; the measure is a count byte by byte, over texts that begin at any address. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineCounter } from '../../src/engine/line-counter.js';

/** Bytes that differ from a newline in one bit, or nearly. */
const NEAR = [0x0a, 0x0a, 0x0b, 0x08, 0x8a, 0x0e, 0x1a, 0x2a, 0x4a, 0x00, 0x80, 0xff, 0x41];

describe('the line of an offset', () => {
  it('is one more than the newlines before it, wherever the text lies in memory', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...NEAR), { maxLength: 90 }),
        fc.nat({ max: 7 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 5 }),
        (bytes, lead, asked) => {
          const text = Uint8Array.from([...new Array<number>(lead).fill(0x0a), ...bytes]).subarray(lead);
          const lineOf = lineCounter(text);
          for (const offset of asked.sort((a, b) => a - b)) {
            expect(lineOf(offset)).toBe(1 + bytes.slice(0, offset).filter((byte) => byte === 0x0a).length);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
