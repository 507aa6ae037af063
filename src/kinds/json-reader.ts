/**
 * One JSON document read from bytes as they come, member by member, in the order they stand in the file.
 *
 * A parked reading may have 256 MiB, and one text in it nearly as much: no string is ever made of a text, its bytes are
 * handed over in runs as they are decoded, so memory is that of one chunk. Strict: UTF-8 without a mark, nothing after the
 * document, no half of a surrogate pair.
 */

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

const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

const END = -1;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const SIMPLE_ESCAPES: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);
const LETTER_U = 0x75;
const NUMBER_BYTES = /[-+.0-9eE]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LONGEST_NUMBER = 32;
/** Decoded bytes of escapes are gathered to runs of this size. */
const RUN_BYTES = 4096;

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

export class JsonReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;
  #before = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  get offset(): number {
    return this.#before + this.#at;
  }

  fault(message: string): JsonFault {
    return new JsonFault(this.offset, message);
  }

  /** Names of an object's members; whoever takes one reads its value before the next. One that comes twice is a fault. */
  async *members(): AsyncGenerator<string, void, undefined> {
    await this.#take(BYTE.openObject, 'an object');
    const seen = new Set<string>();
    for (let first = true; ; first = false) {
      const next = await this.#peekToken();
      if (next === BYTE.closeObject && first) break;
      const name = await this.readString(LONGEST_NAME_BYTES);
      if (seen.has(name)) throw this.fault('has a member twice in one object');
      seen.add(name);
      await this.#take(BYTE.colon, 'a colon');
      yield name;
      if ((await this.#peekToken()) !== BYTE.comma) break;
      this.#at += 1;
    }
    await this.#take(BYTE.closeObject, 'the end of an object');
  }

  /** The same for the entries of a list, counted from 0. */
  async *entries(): AsyncGenerator<number, void, undefined> {
    await this.#take(BYTE.openList, 'a list');
    for (let index = 0; ; index += 1) {
      if ((await this.#peekToken()) === BYTE.closeList && index === 0) break;
      yield index;
      if ((await this.#peekToken()) !== BYTE.comma) break;
      this.#at += 1;
    }
    await this.#take(BYTE.closeList, 'the end of a list');
  }

  /** A short string whole. */
  async readString(mostBytes: number): Promise<string> {
    const runs: Uint8Array[] = [];
    let bytes = 0;
    await this.streamString((run) => {
      bytes += run.length;
      if (bytes > mostBytes)
        throw this.fault(`has a text of over ${mostBytes} bytes where at most that many are taken`);
      runs.push(Uint8Array.from(run));
    });
    return Buffer.concat(runs).toString('utf8');
  }

  /** A string's UTF-8 bytes, decoded, in runs. A run is the reader's memory and good until `take` returns. */
  async streamString(take: (run: Uint8Array) => void): Promise<void> {
    await this.#take(BYTE.quote, 'a text');
    const decoded = createRun(take);
    for (;;) {
      const start = this.#at;
      const chunk = this.#chunk;
      let at = start;
      let byte = 0;
      while (at < chunk.length) {
        byte = chunk[at] ?? 0;
        if (byte === BYTE.quote || byte === BYTE.backslash || byte < 0x20) break;
        at += 1;
      }
      this.#at = at;
      if (at > start) decoded.addRun(chunk.subarray(start, at));
      if (at === chunk.length) {
        if (!(await this.#fill())) throw this.fault('ends inside a text');
        continue;
      }
      if (byte < 0x20) throw this.fault('has a control character inside a text');
      this.#at += 1;
      if (byte === BYTE.quote) break;
      decoded.addPoint(await this.#escape());
    }
    decoded.flush();
  }

  /** A whole number of 0 or more. */
  async readCount(): Promise<number> {
    const text = await this.#word();
    const value = Number(text);
    if (!NUMBER.test(text) || !Number.isSafeInteger(value) || value < 0) {
      throw this.fault('has something else where a whole number is due');
    }
    return value;
  }

  /** Only white space may follow. */
  async readEnd(): Promise<void> {
    if ((await this.#peekToken()) !== END) throw this.fault('has content after its document');
  }

  async #word(): Promise<string> {
    await this.#peekToken();
    let text = '';
    for (;;) {
      const byte = await this.#peek();
      const letter = byte === END ? '' : String.fromCharCode(byte);
      if (letter === '' || !NUMBER_BYTES.test(letter) || text.length > LONGEST_NUMBER) return text;
      text += letter;
      this.#at += 1;
    }
  }

  /** The character that an escape stands for; the backslash was read. */
  async #escape(): Promise<number> {
    const letter = await this.#next();
    const simple = SIMPLE_ESCAPES.get(letter);
    if (simple !== undefined) return simple;
    if (letter !== LETTER_U) throw this.fault('has an escape that JSON does not know');
    const unit = await this.#fourDigits();
    if (isLowHalf(unit)) throw this.fault('has half of a surrogate pair inside a text');
    if (!isHighHalf(unit)) return unit;
    if ((await this.#next()) !== BYTE.backslash || (await this.#next()) !== LETTER_U) {
      throw this.fault('has half of a surrogate pair inside a text');
    }
    const low = await this.#fourDigits();
    if (!isLowHalf(low)) throw this.fault('has half of a surrogate pair inside a text');
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }

  async #fourDigits(): Promise<number> {
    let unit = 0;
    for (let digit = 0; digit < 4; digit += 1) {
      const value = Number.parseInt(String.fromCharCode(await this.#next()), 16);
      if (Number.isNaN(value)) throw this.fault('has an escape that JSON does not know');
      unit = unit * 16 + value;
    }
    return unit;
  }

  async #next(): Promise<number> {
    const byte = await this.#peek();
    if (byte === END) throw this.fault('ends inside a text');
    this.#at += 1;
    return byte;
  }

  async #take(byte: number, due: string): Promise<void> {
    const found = await this.#peekToken();
    if (found !== byte) throw this.fault(`${found === END ? 'ends' : 'has something else'} where ${due} is due`);
    this.#at += 1;
  }

  async #peekToken(): Promise<number> {
    for (;;) {
      const byte = await this.#peek();
      if (byte === END || !isSpace(byte)) return byte;
      this.#at += 1;
    }
  }

  async #peek(): Promise<number> {
    while (this.#at >= this.#chunk.length) if (!(await this.#fill())) return END;
    return this.#chunk[this.#at] ?? END;
  }

  async #fill(): Promise<boolean> {
    if (this.#ended) return false;
    this.#before += this.#chunk.length;
    this.#at = 0;
    const next = await this.#chunks.next();
    this.#chunk = next.done === true ? new Uint8Array(0) : next.value;
    this.#ended = next.done === true;
    try {
      // Decoded to be judged: whatever is no UTF-8 is told at its chunk, wherever in the document it stands.
      this.#utf8.decode(this.#chunk, { stream: !this.#ended });
    } catch {
      throw this.fault('is not UTF-8');
    }
    return !this.#ended;
  }
}

const LONGEST_NAME_BYTES = 256;

/** Runs as they stand in the chunk go on at once; characters of escapes are gathered first. */
const createRun = (take: (run: Uint8Array) => void) => {
  let own: Buffer | null = null;
  let length = 0;
  const flush = (): void => {
    if (own !== null && length > 0) take(own.subarray(0, length));
    length = 0;
  };
  const room = (bytes: number): Buffer => {
    own ??= Buffer.allocUnsafe(RUN_BYTES);
    if (length + bytes > RUN_BYTES) flush();
    return own;
  };
  return {
    flush,
    addPoint: (point: number): void => {
      const to = room(4);
      if (point < 0x80) {
        to[length] = point;
        length += 1;
      } else length += to.write(String.fromCodePoint(point), length, 'utf8');
    },
    addRun: (run: Uint8Array): void => {
      if (run.length > RUN_BYTES / 8) {
        flush();
        take(run);
      } else {
        room(run.length).set(run, length);
        length += run.length;
      }
    },
  };
};
