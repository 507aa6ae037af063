import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrder } from '../../../src/app/scan/in-order.js';

interface Piece {
  readonly bytes: number;
  readonly turns: number;
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

const bounds = (most: number, mostBytes: number, signal = new AbortController().signal) => ({
  most,
  mostBytes,
  signal,
});

describe('work in order', () => {
  test('gives the results in the order of the pieces, whatever ends first, and never holds more than its bounds', async () => {
    const piece = fc.record({ bytes: fc.nat(20), turns: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 4 }), async (pieces: readonly Piece[], most) => {
        let running = 0;
        let bytes = 0;
        const results: number[] = [];
        const work = async (one: { piece: Piece; index: number; bytes: number }): Promise<number> => {
          running += 1;
          bytes += one.bytes;
          expect(running).toBeLessThanOrEqual(most);
          expect(running === 1 || bytes <= 16).toBe(true);
          await turns(one.piece.turns);
          running -= 1;
          bytes -= one.bytes;
          return one.index;
        };
        const source = pieces.map((one, index) => ({ piece: one, index, bytes: one.bytes }));
        for await (const result of inOrder(source, work, bounds(most, 16))) results.push(result);
        expect(results).toEqual(pieces.map((_, index) => index));
      }),
      { numRuns: 40 },
    );
  });

  test('tells a failure when its turn comes, after the results before it, and closes the source', async () => {
    let isClosed = false;
    async function* source() {
      try {
        for (let index = 0; ; index += 1) yield { index, bytes: 1 };
      } finally {
        isClosed = true;
      }
    }
    const results: number[] = [];
    const read = async (): Promise<void> => {
      const work = async ({ index }: { index: number }): Promise<number> => {
        if (index === 2) throw new Error('the third');
        await turns(3);
        return index;
      };
      for await (const result of inOrder(source(), work, bounds(4, 100))) results.push(result);
    };
    await expect(read()).rejects.toThrow('the third');
    expect(results).toEqual([0, 1]);
    expect(isClosed).toBe(true);
  });

  test('ends with the signal’s reason', async () => {
    const ending = new AbortController();
    const work = async ({ index }: { index: number }): Promise<number> => {
      if (index === 1) ending.abort(new Error('ended'));
      return index;
    };
    const source = [0, 1, 2, 3].map((index) => ({ index, bytes: 1 }));
    const read = async (): Promise<void> => {
      for await (const _result of inOrder(source, work, bounds(1, 10, ending.signal))) await turns(1);
    };
    await expect(read()).rejects.toThrow('ended');
  });
});
