/**
 * Objects by their id, and their sizes, through one long-lived `git cat-file`. Bytes go from the pipe straight into memory
 * of the caller; while nobody takes an object nothing is read, so the pipe fills and git waits.
 *
 * Git from 2.36 on answers both questions in one child (`--batch-command`); an older one says that it does not know the
 * switch, before it answers anything, and is asked each question in a child of its own from then on.
 */
import { ColdsealError } from '../contract/error.js';
import type { BlobRead } from '../contract/repository.js';
import type { GitChild } from './git-child.js';
import { unreadable } from './git-failure.js';
import { ObjectAnswers } from './object-answers.js';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** What a child can be asked: commands for both, or by name the contents or the sizes alone. */
export type Questions = 'commands' | 'contents' | 'sizes';
type Question = 'contents' | 'sizes';

/** Switches of `cat-file` for each way of asking. */
export const CAT_FILE_SWITCHES: Readonly<Record<Questions, readonly string[]>> = {
  commands: ['--batch-command', '--buffer'],
  contents: ['--batch'],
  sizes: ['--batch-check', '--buffer'],
};

/** Asked for and not yet answered; enough to keep git busy over many small objects. */
const MOST_ASKED = 128;
/** Git's status for a switch that it does not know. */
const UNKNOWN_SWITCH = 129;
const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export const checkObjectName = (id: string): string => {
  if (OBJECT_NAME.test(id)) return id;
  throw new ColdsealError('INTERNAL', 'An object was asked for by something that is no full object name.');
};

/** `missing` where the store has no such object, `other` where it is no object of this type. */
type Header = { readonly size: number } | 'missing' | 'other';

const headerOf = (line: string, id: string, type: ObjectType): Header => {
  const [name, second, size] = line.split(' ');
  if (second === 'missing') return 'missing';
  return name === id && second === type && size !== undefined ? { size: Number(size) } : 'other';
};

const sizeIn = (line: string, id: string, type: ObjectType): number => {
  const header = headerOf(line, id, type);
  if (header === 'missing') throw unreadable(`Object ${id}`);
  if (header === 'other') throw unreadable(`Object ${id}, which is no ${type},`);
  return header.size;
};

export class ObjectReader {
  readonly #start: (questions: Questions) => GitChild;
  #takesCommands = true;
  /** Of the child that was started early: told to whoever asks first, who would else wait for its limit once more. */
  #early: { readonly fault: unknown } | null = null;
  #answers: ObjectAnswers | null = null;
  #turn: Promise<void> = Promise.resolve();

  /** `start` makes a `cat-file` child; it is called again after one was stopped. */
  constructor(start: (questions: Questions) => GitChild) {
    this.#start = start;
  }

  /** Starts git, so that it is there when the first object is asked for; a fault is told to whoever asks. */
  async startEarly(): Promise<void> {
    const done = await this.#takeTurn();
    try {
      await this.#running();
    } catch (fault) {
      this.#early = { fault };
      await this.#drop();
    } finally {
      done();
    }
  }

  /** Fills each target in order. One reading at a time; others wait for their turn. */
  async *readInto(reads: Iterable<BlobRead>, signal: AbortSignal): AsyncGenerator<BlobRead, void, undefined> {
    const done = await this.#takeTurn();
    let undo = (): void => undefined;
    let whole = false;
    try {
      const answers = await this.#running();
      undo = answers.child.abortOn(signal);
      for await (const { asked, line } of this.#ask(answers, 'contents', reads, ({ objectId }) => objectId)) {
        const size = sizeIn(line, asked.objectId, 'blob');
        if (size !== asked.size || asked.target.length < size) {
          throw unreadable(`Blob ${asked.objectId}, which has ${size} bytes and not ${asked.size} as it was told,`);
        }
        const target = asked.target.subarray(0, size);
        if (!answers.bodyAtOnce(target)) await answers.body(target, asked.isEnough);
        yield asked;
      }
      whole = true;
    } finally {
      undo();
      // Left in the middle, the pipe holds answers that nobody will take.
      if (!whole) await this.#drop();
      done();
    }
  }

  /** One object whole, in memory of its own. Over `mostBytes` it is `ITEM_TOO_LARGE`, unread. */
  async readWhole(id: string, type: ObjectType, mostBytes: number, signals: readonly AbortSignal[]): Promise<Buffer> {
    const done = await this.#takeTurn();
    const undo: (() => void)[] = [];
    let whole = false;
    try {
      const answers = await this.#running();
      for (const signal of signals) undo.push(answers.child.abortOn(signal));
      answers.child.write(this.#questions('contents', [checkObjectName(id)]));
      const size = sizeIn(await answers.line(), id, type);
      if (size > mostBytes) throw tooLarge(id, size, mostBytes);
      const bytes = Buffer.allocUnsafeSlow(size);
      await answers.body(bytes);
      whole = true;
      return bytes;
    } finally {
      for (const stop of undo) stop();
      if (!whole) await this.#drop();
      done();
    }
  }

  /** Size in bytes of each blob, in the order asked for. `ITEM_UNREADABLE` for one that is missing or is no blob. */
  async blobSizes(ids: readonly string[]): Promise<readonly number[]> {
    const done = await this.#takeTurn();
    let own: ObjectAnswers | null = null;
    let whole = false;
    try {
      const running = await this.#running();
      // An older git has a child for sizes alone, which answers when it has all the names.
      own = this.#takesCommands ? null : new ObjectAnswers(this.#start('sizes'));
      const sizes: number[] = [];
      for await (const { asked, line } of this.#ask(own ?? running, 'sizes', ids, (id) => id)) {
        const header = headerOf(line, asked, 'blob');
        if (typeof header === 'string') throw unreadable(`Blob ${asked}`);
        sizes.push(header.size);
      }
      whole = true;
      return sizes;
    } finally {
      await own?.child.close();
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

  async #running(): Promise<ObjectAnswers> {
    if (this.#early !== null) throw this.#early.fault;
    if (this.#answers?.child.usable === true) return this.#answers;
    if (this.#takesCommands) {
      const answers = new ObjectAnswers(this.#start('commands'));
      this.#answers = answers;
      if (await understands(answers)) return answers;
      this.#takesCommands = false;
    }
    this.#answers = new ObjectAnswers(this.#start('contents'));
    return this.#answers;
  }

  async #drop(): Promise<void> {
    const answers = this.#answers;
    this.#answers = null;
    await answers?.child.close();
  }

  /** One text for many names: git looks at what it is asked when it is told to, or when it has a line. */
  #questions(question: Question, ids: readonly string[]): string {
    if (!this.#takesCommands) return ids.map((id) => `${id}\n`).join('');
    const command = question === 'contents' ? 'contents' : 'info';
    return `${ids.map((id) => `${command} ${id}\n`).join('')}flush\n`;
  }

  /** Each thing asked for with the line that git answers, a bounded number on the way; the caller takes the body. */
  async *#ask<T>(
    answers: ObjectAnswers,
    question: Question,
    things: Iterable<T>,
    idOf: (thing: T) => string,
  ): AsyncGenerator<{ readonly asked: T; readonly line: string }, void, undefined> {
    // A child for sizes alone keeps its answers until its questions end.
    const isOneShot = question === 'sizes' && !this.#takesCommands;
    const source = things[Symbol.iterator]();
    const onTheWay: T[] = [];
    try {
      for (;;) {
        // Refilled by half windows: one write for many names.
        if (onTheWay.length <= MOST_ASKED / 2) {
          const more = take(source, isOneShot ? Number.POSITIVE_INFINITY : MOST_ASKED - onTheWay.length);
          if (more.length > 0) answers.child.write(this.#questions(question, more.map(idOf).map(checkObjectName)));
          if (isOneShot) answers.child.endInput();
          for (const thing of more) onTheWay.push(thing);
        }
        const asked = onTheWay.shift();
        if (asked === undefined) return;
        yield { asked, line: answers.lineAtOnce() ?? (await answers.line()) };
      }
    } finally {
      source.return?.();
    }
  }
}

/** A name that no object has: git answers it at once, whatever the repository holds. */
const NO_OBJECT = '0'.repeat(40);

/** False for a git that does not know the switch; every other fault is thrown. */
const understands = async (answers: ObjectAnswers): Promise<boolean> => {
  answers.child.write(`info ${NO_OBJECT}\nflush\n`);
  try {
    await answers.line();
    return true;
  } catch (fault) {
    const { status } = await answers.child.end();
    if (status !== UNKNOWN_SWITCH) throw fault;
    await answers.child.close();
    return false;
  }
};

const take = <T>(source: Iterator<T>, most: number): readonly T[] => {
  const taken: T[] = [];
  while (taken.length < most) {
    const next = source.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
};

const tooLarge = (id: string, size: number, mostBytes: number): ColdsealError =>
  new ColdsealError('ITEM_TOO_LARGE', `Object ${id} has ${size} bytes; at most ${mostBytes} are read here.`, {
    facts: { bytes: size, limit_bytes: mostBytes },
  });
