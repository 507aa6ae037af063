/**
 * A place in bytes that come in chunks. Chunk and place are open to the reader above, which walks ordinary bytes itself and
 * asks here only at a chunk's end; what it reads is judged as UTF-8 on the way.
 */
import { createUtf8Check } from './utf8-check.js';

/** Says what is wrong at which byte; never what stands there. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  /** From the start of the file. */
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Where no byte is left. */
export const END = -1;

export class ByteCursor {
  chunk: Uint8Array = new Uint8Array(0);
  /** Of the next byte in the chunk. */
  at = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #utf8 = createUtf8Check();
  #before = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  fault(message: string): JsonFault {
    return new JsonFault(this.#before + this.at, message);
  }

  /** The next byte, not read, or `END`. */
  async peek(): Promise<number> {
    while (this.at >= this.chunk.length) if (!(await this.fill())) return END;
    return this.chunk[this.at] ?? END;
  }

  async next(): Promise<number> {
    const byte = await this.peek();
    if (byte === END) throw this.fault('ends inside a text');
    this.at += 1;
    return byte;
  }

  /** Takes the next chunk; false at the end. */
  async fill(): Promise<boolean> {
    if (this.#ended) return false;
    this.#before += this.chunk.length;
    this.at = 0;
    const next = await this.#chunks.next();
    this.chunk = next.done === true ? new Uint8Array(0) : next.value;
    this.#ended = next.done === true;
    // Judged by the chunk: whatever is no UTF-8 is told, wherever in the document it stands.
    if (this.#ended ? !this.#utf8.isWhole() : !this.#utf8.take(this.chunk)) throw this.fault('is not UTF-8');
    return !this.#ended;
  }
}
