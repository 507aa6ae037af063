/**
 * One JSON document read from bytes as they come, member by member, in the order they stand in the file.
 *
 * A parked reading may have 256 MiB, and one text in it nearly as much: no string is ever made of a text, its bytes are
 * handed over in runs as they are decoded, so memory is that of one chunk. Strict: UTF-8 without a mark, nothing after the
 * document, no half of a surrogate pair.
 */
import { ByteCursor, END, type JsonFault } from './byte-cursor.js';

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

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What each letter after a backslash stands for; 0 where it is none of the short escapes. */
const SIMPLE_ESCAPES = new Uint8Array(256);
for (const [letter, meant] of [
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
] as const) {
  SIMPLE_ESCAPES[letter.charCodeAt(0)] = meant.charCodeAt(0);
}
const LETTER_U = 0x75;
const NUMBER_BYTES = /[-+.0-9eE]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LONGEST_NUMBER = 32;
/** Decoded bytes are handed over in runs of at most this size. */
const RUN_BYTES = 16 * 1024;
const LONGEST_CHARACTER_BYTES = 4;

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

export class JsonReader {
  readonly #bytes: ByteCursor;
  readonly #run = Buffer.allocUnsafeSlow(RUN_BYTES);
  #used = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#bytes = new ByteCursor(chunks);
  }

  fault(message: string): JsonFault {
    return this.#bytes.fault(message);
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
      this.#bytes.at += 1;
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
      this.#bytes.at += 1;
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
    this.#used = 0;
    for (;;) {
      const stop = this.#decodePlain(take);
      if (stop === END) {
        if (!(await this.#bytes.fill())) throw this.fault('ends inside a text');
        continue;
      }
      if (stop < 0x20) throw this.fault('has a control character inside a text');
      this.#bytes.at += 1;
      if (stop === BYTE.quote) break;
      const point = await this.#escape();
      if (this.#used + LONGEST_CHARACTER_BYTES > RUN_BYTES) this.#flush(take);
      this.#used += this.#run.write(String.fromCodePoint(point), this.#used, 'utf8');
    }
    this.#flush(take);
  }

  /**
   * Decodes up to the chunk's end or to a byte that needs a closer look, which is told and not read. Everything of a text
   * but its rare characters passes here, so nothing is waited for and no object is made.
   */
  #decodePlain(take: (run: Uint8Array) => void): number {
    const chunk = this.#bytes.chunk;
    const run = this.#run;
    let at = this.#bytes.at;
    let used = this.#used;
    let stop: number = END;
    while (at < chunk.length) {
      let byte = chunk[at] ?? 0;
      if (byte === BYTE.quote || byte < 0x20) {
        stop = byte;
        break;
      }
      if (byte === BYTE.backslash) {
        const meant = SIMPLE_ESCAPES[chunk[at + 1] ?? 0] ?? 0;
        if (meant === 0) {
          stop = byte;
          break;
        }
        byte = meant;
        at += 1;
      }
      if (used === RUN_BYTES) {
        this.#used = used;
        this.#flush(take);
        used = 0;
      }
      run[used] = byte;
      used += 1;
      at += 1;
    }
    this.#bytes.at = at;
    this.#used = used;
    return stop;
  }

  #flush(take: (run: Uint8Array) => void): void {
    if (this.#used > 0) take(this.#run.subarray(0, this.#used));
    this.#used = 0;
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
      const byte = await this.#bytes.peek();
      const letter = byte === END ? '' : String.fromCharCode(byte);
      if (letter === '' || !NUMBER_BYTES.test(letter) || text.length > LONGEST_NUMBER) return text;
      text += letter;
      this.#bytes.at += 1;
    }
  }

  /** The character that an escape stands for; the backslash was read. */
  async #escape(): Promise<number> {
    const letter = await this.#bytes.next();
    const simple = SIMPLE_ESCAPES[letter] ?? 0;
    if (simple !== 0) return simple;
    if (letter !== LETTER_U) throw this.fault('has an escape that JSON does not know');
    const unit = await this.#fourDigits();
    if (isLowHalf(unit)) throw this.fault('has half of a surrogate pair inside a text');
    if (!isHighHalf(unit)) return unit;
    if ((await this.#bytes.next()) !== BYTE.backslash || (await this.#bytes.next()) !== LETTER_U) {
      throw this.fault('has half of a surrogate pair inside a text');
    }
    const low = await this.#fourDigits();
    if (!isLowHalf(low)) throw this.fault('has half of a surrogate pair inside a text');
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }

  async #fourDigits(): Promise<number> {
    let unit = 0;
    for (let digit = 0; digit < 4; digit += 1) {
      const value = Number.parseInt(String.fromCharCode(await this.#bytes.next()), 16);
      if (Number.isNaN(value)) throw this.fault('has an escape that JSON does not know');
      unit = unit * 16 + value;
    }
    return unit;
  }

  async #take(byte: number, due: string): Promise<void> {
    const found = await this.#peekToken();
    if (found !== byte) throw this.fault(`${found === END ? 'ends' : 'has something else'} where ${due} is due`);
    this.#bytes.at += 1;
  }

  async #peekToken(): Promise<number> {
    for (;;) {
      const byte = await this.#bytes.peek();
      if (byte === END || !isSpace(byte)) return byte;
      this.#bytes.at += 1;
    }
  }
}

const LONGEST_NAME_BYTES = 256;
