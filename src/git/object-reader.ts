/**
 * Objects by their id through one long-lived `git cat-file --batch`. Bytes go from the pipe straight into memory of the
 * caller; while nobody takes an object nothing is read, so the pipe fills and git waits.
 */
import { ColdsealError } from '../contract/error.js';
import type { BlobRead } from '../contract/repository.js';
import type { GitChild } from './git-child.js';
import { gitFailure, unreadable } from './git-failure.js';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

interface ObjectHeader {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

const NEWLINE = 0x0a;
/** Asked for and not yet answered; enough to keep git busy over many small objects. */
const MOST_ASKED = 64;
const HEADER_BYTES = 256;
const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export const checkObjectName = (id: string): string => {
  if (OBJECT_NAME.test(id)) return id;
  throw new ColdsealError('INTERNAL', 'An object was asked for by something that is no full object name.');
};

export class ObjectReader {
  readonly #start: () => GitChild;
  #child: GitChild | null = null;
  #chunk: Uint8Array = new Uint8Array(0);
  #turn: Promise<void> = Promise.resolve();

  /** `start` makes a `cat-file --batch` child; it is called again after one was stopped. */
  constructor(start: () => GitChild) {
    this.#start = start;
  }

  /** Fills each target in order. One reading at a time; others wait for their turn. */
  async *readInto(reads: Iterable<BlobRead>, signal: AbortSignal): AsyncGenerator<BlobRead, void, undefined> {
    const done = await this.#takeTurn();
    try {
      yield* this.#readInto(reads, signal);
    } finally {
      done();
    }
  }

  /** One object whole, in memory of its own. Over `mostBytes` it is `ITEM_TOO_LARGE`, unread. */
  async readWhole(id: string, type: ObjectType, mostBytes: number, signals: readonly AbortSignal[]): Promise<Buffer> {
    const done = await this.#takeTurn();
    const child = this.#running();
    const undo = signals.map((signal) => child.abortOn(signal));
    let whole = false;
    try {
      child.write(`${checkObjectName(id)}\n`);
      const header = await this.#header(child, id, type);
      if (header.size > mostBytes) throw tooLarge(header, mostBytes);
      const bytes = Buffer.allocUnsafeSlow(header.size);
      await this.#body(child, bytes);
      whole = true;
      return bytes;
    } finally {
      for (const stop of undo) stop();
      if (!whole) await this.#drop();
      done();
    }
  }

  async close(): Promise<void> {
    await this.#drop();
  }

  async #takeTurn(): Promise<() => void> {
    const before = this.#turn;
    let done: () => void = () => {};
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    return done;
  }

  #running(): GitChild {
    if (this.#child === null || !this.#child.usable) {
      this.#chunk = new Uint8Array(0);
      this.#child = this.#start();
    }
    return this.#child;
  }

  async #drop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    await child?.close();
  }

  async *#readInto(reads: Iterable<BlobRead>, signal: AbortSignal): AsyncGenerator<BlobRead, void, undefined> {
    const child = this.#running();
    const undo = child.abortOn(signal);
    const source = reads[Symbol.iterator]();
    const asked: BlobRead[] = [];
    let whole = false;
    try {
      for (;;) {
        askMore(child, source, asked);
        const read = asked.shift();
        if (read === undefined) break;
        const header = await this.#header(child, read.objectId, 'blob');
        if (header.size !== read.size || read.target.length < read.size) {
          throw unreadable(
            `Blob ${read.objectId}, which has ${header.size} bytes and not ${read.size} as it was told,`,
          );
        }
        await this.#body(child, read.target.subarray(0, read.size));
        yield read;
      }
      whole = true;
    } finally {
      undo();
      source.return?.();
      // Left in the middle, the pipe holds answers that nobody will take.
      if (!whole) await this.#drop();
    }
  }

  async #header(child: GitChild, id: string, type: ObjectType): Promise<ObjectHeader> {
    const line = await this.#line(child);
    const [name, second, size] = line.split(' ');
    if (second === 'missing') throw unreadable(`Object ${id}`);
    if (name !== id || second !== type || size === undefined) {
      throw unreadable(`Object ${id}, which is no ${type},`);
    }
    return { id, type, size: Number(size) };
  }

  async #line(child: GitChild): Promise<string> {
    let text = '';
    for (;;) {
      await this.#fill(child);
      const end = this.#chunk.indexOf(NEWLINE);
      const taken = end < 0 ? this.#chunk : this.#chunk.subarray(0, end);
      text += Buffer.from(taken.buffer, taken.byteOffset, taken.length).toString('latin1');
      this.#chunk = this.#chunk.subarray(end < 0 ? this.#chunk.length : end + 1);
      if (end >= 0) return text;
      if (text.length > HEADER_BYTES)
        throw new ColdsealError('GIT_FAILED', 'git cat-file gave no header where one is due.');
    }
  }

  /** Fills the target and takes the newline that git puts after an object. */
  async #body(child: GitChild, target: Uint8Array): Promise<void> {
    let filled = 0;
    while (filled < target.length) {
      await this.#fill(child);
      const part = this.#chunk.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    await this.#fill(child);
    if (this.#chunk[0] !== NEWLINE)
      throw new ColdsealError('GIT_FAILED', 'git cat-file lost its place between objects.');
    this.#chunk = this.#chunk.subarray(1);
  }

  async #fill(child: GitChild): Promise<void> {
    if (this.#chunk.length > 0) return;
    const chunk = await child.nextChunk();
    if (chunk !== null) {
      this.#chunk = chunk;
      return;
    }
    throw gitFailure(child.verb, await child.end(), child.stderr);
  }
}

const askMore = (child: GitChild, source: Iterator<BlobRead>, asked: BlobRead[]): void => {
  // Refill by half windows: one write for many names.
  if (asked.length > MOST_ASKED / 2) return;
  let text = '';
  while (asked.length < MOST_ASKED) {
    const next = source.next();
    if (next.done === true) break;
    asked.push(next.value);
    text += `${checkObjectName(next.value.objectId)}\n`;
  }
  if (text !== '') child.write(text);
};

const tooLarge = (header: ObjectHeader, mostBytes: number): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `Object ${header.id} has ${header.size} bytes; at most ${mostBytes} are read here.`,
    { facts: { bytes: header.size, limit_bytes: mostBytes } },
  );
