/**
 * What one `git cat-file` says: lines and bytes, from its pipe straight into memory of the caller. What has arrived already
 * is taken without a wait: of small objects hundreds stand in one chunk.
 */
import { ColdsealError } from '../contract/error.js';
import type { GitChild } from './git-child.js';
import { gitFailure } from './git-failure.js';

const NEWLINE = 0x0a;
const HEADER_BYTES = 256;
/** Of an object, before it is first asked whether the rest is wanted. */
const FIRST_ASK_BYTES = 512 * 1024;

export class ObjectAnswers {
  readonly child: GitChild;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(child: GitChild) {
    this.child = child;
  }

  /** One line without its newline. `GIT_FAILED`, `ITEM_UNREADABLE`. */
  async line(): Promise<string> {
    let text = '';
    for (;;) {
      if (this.#chunk.length === 0) await this.#fill();
      const end = this.#chunk.indexOf(NEWLINE);
      text += this.#chunk.toString('latin1', 0, end < 0 ? this.#chunk.length : end);
      this.#chunk = this.#chunk.subarray(end < 0 ? this.#chunk.length : end + 1);
      if (end >= 0) return text;
      if (text.length > HEADER_BYTES)
        throw new ColdsealError('GIT_FAILED', 'git cat-file gave no header where one is due.');
    }
  }

  /** The line, where all of it has arrived. */
  lineAtOnce(): string | null {
    const end = this.#chunk.indexOf(NEWLINE);
    if (end < 0) return null;
    const text = this.#chunk.toString('latin1', 0, end);
    this.#chunk = this.#chunk.subarray(end + 1);
    return text;
  }

  /**
   * Fills the target and takes the newline that git puts after an object. What comes after `isEnough` said so is passed
   * over: it has to be taken from the pipe, and need not be held.
   */
  async body(target: Uint8Array, isEnough: ((start: Uint8Array) => boolean) | undefined = undefined): Promise<void> {
    let filled = 0;
    let isWanted = true;
    let askAt = FIRST_ASK_BYTES;
    while (filled < target.length) {
      if (this.#chunk.length === 0) await this.#fill();
      const part = this.#chunk.subarray(0, target.length - filled);
      if (isWanted) target.set(part, filled);
      filled += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
      if (isEnough === undefined || !isWanted || filled < askAt) continue;
      isWanted = !isEnough(target.subarray(0, filled));
      // Doubled each time: what is looked at again and again is no more than the object itself.
      askAt = 2 * filled;
    }
    if (this.#chunk.length === 0) await this.#fill();
    this.#takeEnd();
  }

  /** The same where all of it has arrived; false, and nothing taken, where it has not. */
  bodyAtOnce(target: Uint8Array): boolean {
    if (this.#chunk.length <= target.length) return false;
    target.set(this.#chunk.subarray(0, target.length));
    this.#chunk = this.#chunk.subarray(target.length);
    this.#takeEnd();
    return true;
  }

  #takeEnd(): void {
    if (this.#chunk[0] !== NEWLINE)
      throw new ColdsealError('GIT_FAILED', 'git cat-file lost its place between objects.');
    this.#chunk = this.#chunk.subarray(1);
  }

  async #fill(): Promise<void> {
    const chunk = await this.child.nextChunk();
    if (chunk === null) throw gitFailure(this.child.verb, await this.child.end(), this.child.stderr);
    this.#chunk = chunk;
  }
}
