/**
 * Work on several pieces at once, results in the pieces' order. Never more bytes are under way than the bounds allow,
 * but for one piece that is over them alone; a piece counts until its result was taken, so a slow reader of the results
 * slows the source.
 */
import type { Weighed, WindowBounds } from '../../pipeline/run-window.js';

interface Running<R> {
  readonly bytes: number;
  readonly result: Promise<R>;
}

type Step<W> = { readonly kind: 'piece'; readonly read: IteratorResult<W> } | { readonly kind: 'result' };

/** Rejects with the first failure, in order, or with the signal's reason; the source is closed then. */
export async function* inOrder<W extends Weighed, R>(
  pieces: AsyncIterable<W> | Iterable<W>,
  work: (piece: W) => Promise<R>,
  bounds: WindowBounds,
): AsyncGenerator<R, void, undefined> {
  const source = iteratorOf(pieces);
  const running: Running<R>[] = [];
  let reading: Promise<Step<W>> | null = null;
  /** Read, and waiting for room. */
  let next: W | null = null;
  let isEnded = false;
  let bytes = 0;
  const hasRoom = (piece: W): boolean =>
    running.length === 0 || (running.length < bounds.most && bytes + piece.bytes <= bounds.mostBytes);
  const start = (piece: W): void => {
    const result = work(piece);
    // Told when its turn comes; until then a failure waits here.
    result.catch(() => undefined);
    bytes += piece.bytes;
    running.push({ bytes: piece.bytes, result });
  };
  try {
    for (;;) {
      bounds.signal.throwIfAborted();
      if (next !== null && hasRoom(next)) {
        start(next);
        next = null;
      }
      if (next === null && !isEnded && reading === null) {
        reading = Promise.resolve(source.next()).then((read): Step<W> => ({ kind: 'piece', read }));
      }
      const [head] = running;
      if (reading === null && head === undefined) return;
      const waits: Promise<Step<W>>[] = reading === null ? [] : [reading];
      if (head !== undefined) waits.push(head.result.then((): Step<W> => ({ kind: 'result' })));
      const step = await Promise.race(waits);
      if (step.kind === 'piece') {
        reading = null;
        if (step.read.done === true) isEnded = true;
        else next = step.read.value;
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

const iteratorOf = <W>(pieces: AsyncIterable<W> | Iterable<W>): AsyncIterator<W> | Iterator<W> =>
  Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
