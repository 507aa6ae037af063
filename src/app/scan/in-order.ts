/**
 * Work on several pieces at once, results in the pieces' order. Nothing is read ahead of the bounds: a piece counts from
 * the moment it was read until its result was taken, so a slow reader of the results slows the source.
 */
import type { Weighed, WindowBounds } from '../../pipeline/run-window.js';

interface Running<R> {
  readonly bytes: number;
  readonly result: Promise<R>;
}

type Step<W> = { readonly kind: 'piece'; readonly read: IteratorResult<W> } | { readonly kind: 'result' };

/** Rejects with the first failure, in order, or with the signal's reason; the source is closed then. */
export async function* inOrder<W extends Weighed, R>(
  pieces: AsyncIterable<W>,
  work: (piece: W) => Promise<R>,
  bounds: WindowBounds,
): AsyncGenerator<R, void, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  const running: Running<R>[] = [];
  let reading: Promise<Step<W>> | null = null;
  let isEnded = false;
  let bytes = 0;
  const hasRoom = (): boolean => running.length < bounds.most && (running.length === 0 || bytes < bounds.mostBytes);
  try {
    for (;;) {
      bounds.signal.throwIfAborted();
      if (!isEnded && reading === null && hasRoom()) {
        reading = source.next().then((read): Step<W> => ({ kind: 'piece', read }));
      }
      const [head] = running;
      if (reading === null && head === undefined) return;
      const waits: Promise<Step<W>>[] = reading === null ? [] : [reading];
      if (head !== undefined) waits.push(head.result.then((): Step<W> => ({ kind: 'result' })));
      const step = await Promise.race(waits);
      if (step.kind === 'piece') {
        reading = null;
        if (step.read.done === true) {
          isEnded = true;
          continue;
        }
        const result = work(step.read.value);
        // Told when its turn comes; until then a failure waits here.
        result.catch(() => undefined);
        bytes += step.read.value.bytes;
        running.push({ bytes: step.read.value.bytes, result });
      } else if (head !== undefined) {
        yield await head.result;
        running.shift();
        bytes -= head.bytes;
      }
    }
  } finally {
    reading?.catch(() => undefined);
    await source.return?.();
  }
}
