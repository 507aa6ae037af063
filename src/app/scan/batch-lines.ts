/**
 * Lines of a stream in batches for the threads. Lines that came together travel together; nothing waits for a full batch,
 * so that a program may ask one line and wait for its answer. A line longer than a batch asks for room before it is read on.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Weighed } from '../../pipeline/run-window.js';
import { type AskedLine, readLine } from './ndjson-line.js';
import { splitLines } from './split-lines.js';

/** Bytes of lines that make a message to a thread worth its while. */
export const BATCH_BYTES = 256 * 1024;

export interface LineBatch extends Weighed {
  readonly lines: readonly AskedLine[];
  /** Gives back the room of a long line. */
  readonly leave: () => void;
}

type Chunk = IteratorResult<Uint8Array> | null;

const NO_ROOM = (): void => undefined;

/** `enterLong` resolves when there is room for a line that is longer than a batch; what it gives is called once. */
export async function* batchLines(
  input: AsyncIterable<Uint8Array>,
  longestLineBytes: number,
  enterLong: () => Promise<() => void>,
): AsyncGenerator<LineBatch> {
  const splitter = splitLines(longestLineBytes);
  const chunks = input[Symbol.asyncIterator]();
  let lines: AskedLine[] = [];
  let bytes = 0;
  let number = 0;
  let room: (() => void) | null = null;
  const take = (): LineBatch => {
    const batch = { lines, bytes, leave: room ?? NO_ROOM };
    lines = [];
    bytes = 0;
    room = null;
    return batch;
  };
  const giveBack = (): void => {
    room?.();
    room = null;
  };
  try {
    for (let next = chunks.next(); ; ) {
      // What has come already belongs together; when nothing more is there, what was asked is answered.
      let chunk: Chunk = await Promise.race([next, nextTurn(null)]);
      if (chunk === null) {
        if (lines.length > 0) yield take();
        chunk = await next;
      }
      for (const line of chunk.done === true ? splitter.finish() : splitter.push(chunk.value)) {
        number += 1;
        const asked = readLine(line, number, longestLineBytes);
        if (asked !== null) lines.push(asked);
        bytes += asked !== null && line.kind === 'line' ? line.bytes.length : 0;
        // The first line that ends is the one that had room.
        if (lines.length > 0 && (room !== null || bytes >= BATCH_BYTES)) yield take();
        else giveBack();
      }
      if (chunk.done === true) break;
      if (splitter.held() > BATCH_BYTES && room === null) {
        if (lines.length > 0) yield take();
        room = await enterLong();
      } else if (splitter.held() === 0) {
        // A line that became too long is passed over and held no more.
        giveBack();
      }
      next = chunks.next();
    }
    if (lines.length > 0) yield take();
  } finally {
    giveBack();
    await chunks.return?.();
  }
}
