/**
 * What git prints under `-z`, cut into its fields while it comes: a listing of gigabytes is looked at through one chunk.
 * A field that two chunks share is put together once; one that never ends is refused before it is held.
 */
import { ColdsealError } from '../contract/error.js';
import { LONGEST_PATH_BYTES } from '../contract/item-bounds.js';

const NUL = 0;
/** No path that is read is longer than 4 KiB; what is far beyond is not put together to be told so. */
const LONGEST_FIELD_BYTES = 1024 * 1024;

export const unexpectedRow = (verb: string): ColdsealError =>
  new ColdsealError('GIT_FAILED', `git ${verb} printed a row that cannot be read; its version is not known here.`);

export class FieldCutter {
  readonly #verb: string;
  readonly #take: (field: Buffer) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** `take` gets each field in order, a view that holds during the call alone. */
  constructor(verb: string, take: (field: Buffer) => void) {
    this.#verb = verb;
    this.#take = take;
  }

  /** The fields that end in this chunk. `ITEM_TOO_LARGE` for one that is longer than any path may be. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NUL); end >= 0; end = chunk.indexOf(NUL, start)) {
      const part = chunk.subarray(start, end);
      start = end + 1;
      this.#take(this.#parts.length === 0 ? part : this.#whole(part));
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** A rest without its NUL is an error. */
  end(): void {
    if (this.#bytes > 0) throw unexpectedRow(this.#verb);
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > LONGEST_FIELD_BYTES) throw tooLong();
    this.#parts.push(part);
  }

  #whole(last: Buffer): Buffer {
    const whole = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}

const tooLong = (): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `A path of more than ${LONGEST_FIELD_BYTES} bytes is in the repository; at most ${LONGEST_PATH_BYTES} are read.`,
    { facts: { limit_bytes: LONGEST_PATH_BYTES } },
  );
