/** What all streams of lines hold together is a matter of the room, not of how many streams there are. */
import { describe, expect, it } from 'vitest';
import { BATCH_BYTES, batchLines, type LineBatch } from '../../../src/app/scan/batch-lines.js';
import { createLongLineRoom } from '../../../src/app/scan/long-lines.js';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const LONGEST_LINE_BYTES = 4 * 1024 * 1024;
const NEVER = new AbortController().signal;
const nobody = (): void => undefined;

/** A stream in the middle of one line of `LONGEST_LINE_BYTES` less a chunk, which ends when it may. */
const openStream = (mayEnd: Promise<void>, onWhole: () => void) => {
  let given = 0;
  async function* input(): AsyncGenerator<Uint8Array> {
    const start = Buffer.from('{"id":1,"text":"');
    given += start.length;
    yield start;
    while (given + CHUNK.length < LONGEST_LINE_BYTES) {
      given += CHUNK.length;
      yield CHUNK;
    }
    onWhole();
    await mayEnd;
    yield Buffer.from('"}\n');
  }
  return { input, given: () => given };
};

describe('streams that are all in the middle of a long line', () => {
  it('hold as many of them as there is room for; the others have stopped reading, and get on when it is given back', async () => {
    const ROOM = 3;
    const STREAMS = 12;
    const room = createLongLineRoom(ROOM, 600_000);
    let letEnd = nobody;
    const mayEnd = new Promise<void>((resolve) => {
      letEnd = resolve;
    });
    let asked = 0;
    let whole = 0;
    let tell = nobody;
    const reached = new Promise<void>((resolve) => {
      tell = () => {
        if (asked === STREAMS && whole === ROOM) resolve();
      };
    });
    const streams = Array.from({ length: STREAMS }, () =>
      openStream(mayEnd, () => {
        whole += 1;
        tell();
      }),
    );
    const enterLong = (): Promise<() => void> => {
      asked += 1;
      tell();
      return room(new AbortController().signal, nobody);
    };
    const answered = streams.map(async ({ input }) => {
      const batches: LineBatch[] = [];
      for await (const batch of batchLines(input(), LONGEST_LINE_BYTES, enterLong)) {
        batches.push(batch);
        batch.leave();
      }
      return batches.flatMap(({ lines }) => lines.map(({ kind }) => kind));
    });
    await reached;
    const held = streams.map(({ given }) => given()).toSorted((a, b) => b - a);
    for (const bytes of held.slice(ROOM)) expect(bytes).toBeLessThanOrEqual(BATCH_BYTES + 2 * CHUNK.length);
    expect(held.slice(0, ROOM).every((bytes) => bytes > LONGEST_LINE_BYTES - 2 * CHUNK.length)).toBe(true);
    letEnd();
    expect(await Promise.all(answered)).toEqual(Array.from({ length: STREAMS }, () => ['text']));
    expect([asked, whole]).toEqual([STREAMS, STREAMS]);
  });

  it('give the room back when the line is passed over, is no question, or the stream is left', async () => {
    let inside = 0;
    const enterLong = async (): Promise<() => void> => {
      inside += 1;
      return () => {
        inside -= 1;
      };
    };
    const long = 'y'.repeat(2 * BATCH_BYTES);
    async function* input(): AsyncGenerator<Uint8Array> {
      for (const text of [long, long, long, `\n${' '.repeat(2 * BATCH_BYTES)}`, `\n${long}`]) yield Buffer.from(text);
    }
    const lines: string[] = [];
    const batches = batchLines(input(), 5 * BATCH_BYTES, enterLong);
    for await (const batch of batches) {
      for (const { kind } of batch.lines) lines.push(kind);
      batch.leave();
    }
    expect([lines, inside]).toEqual([['bad', 'bad'], 0]);
    for await (const batch of batchLines(input(), 5 * BATCH_BYTES, enterLong)) {
      batch.leave();
      break;
    }
    expect(inside).toBe(0);
  });
});

describe('the room for long lines', () => {
  it('ends who holds it for too long', async () => {
    const room = createLongLineRoom(1, 10);
    await new Promise<void>((resolve) => {
      void room(NEVER, resolve);
    });
  });

  it('lets go who went away while waiting, and gives the turn on', async () => {
    const room = createLongLineRoom(1, 600_000);
    const leave = await room(NEVER, nobody);
    const gone = new AbortController();
    const waiting = room(gone.signal, nobody);
    const last = room(NEVER, nobody);
    gone.abort(new Error('it went away'));
    await expect(waiting).rejects.toThrow('it went away');
    leave();
    (await last)();
  });
});
