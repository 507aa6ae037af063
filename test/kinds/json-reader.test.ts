import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonFault } from '../../src/kinds/byte-cursor.js';
import { JsonReader } from '../../src/kinds/json-reader.js';
import { createUtf8Check } from '../../src/kinds/utf8-check.js';

/** The bytes in pieces of this many, as a file may come. */
async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One buffer for every piece, as a reader of files has it: nothing may be kept of a piece that is past.
  const piece = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = piece.fill(0).write(Buffer.from(bytes.subarray(at, at + size)).toString('latin1'), 'latin1');
    yield piece.subarray(0, length);
  }
}

/** Texts of an object, each read as a stream. */
const readTexts = async (document: string | Uint8Array, size: number): Promise<Record<string, string>> => {
  const reader = new JsonReader(cut(Buffer.from(document), size));
  const read: [string, string][] = [];
  for await (const name of reader.members()) {
    const runs: Buffer[] = [];
    await reader.streamString((run) => runs.push(Buffer.from(run)));
    read.push([name, Buffer.concat(runs).toString('utf8')]);
  }
  await reader.readEnd();
  return Object.fromEntries(read);
};

const faultOf = async (document: string | Uint8Array, size = 3): Promise<JsonFault> => {
  try {
    await readTexts(document, size);
  } catch (fault) {
    if (fault instanceof JsonFault) return fault;
    throw fault;
  }
  throw new Error('it was read');
};

describe('JsonReader', () => {
  it('reads what JSON.parse reads, wherever the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ unit: 'grapheme', maxLength: 40 })),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (texts, size, spaced) => {
          const document = JSON.stringify(texts, null, spaced ? 2 : 0);
          expect(await readTexts(document, size)).toEqual(JSON.parse(document));
        },
      ),
    );
  });

  it.each([
    ['every short escape', '{"a":"\\" \\\\ \\/ \\b \\f \\n \\r \\t"}', '" \\ / \b \f \n \r \t'],
    ['an escape by number', '{"a":"\\u00e9\\u0000\\u2028"}', '\u00e9\u0000\u2028'],
    ['a pair of surrogates', '{"a":"\\ud83d\\ude00"}', '\u{1f600}'],
    ['characters of four bytes as they are', '{"a":"\u{1f600}"}', '\u{1f600}'],
  ])('decodes %s in pieces of any size', async (_what, document, text) => {
    for (let size = 1; size < 14; size += 1) expect(await readTexts(document, size)).toEqual({ a: text });
  });

  it('hands a long text over in runs, whole', async () => {
    const text = 'a line "quoted"\n'.repeat(10_000);
    for (const size of [7, 16 * 1024, 64 * 1024 + 1]) {
      expect((await readTexts(JSON.stringify({ a: text }), size))['a'] === text).toBe(true);
    }
  });

  it.each([
    ['a member twice', '{"a":"","a":""}', 'twice'],
    ['a member twice, once escaped', '{"a":"","\\u0061":""}', 'twice'],
    ['content after its end', '{} x', 'after its document'],
    ['a second document', '{}{}', 'after its document'],
    ['no end', '{"a":"b', 'ends inside a text'],
    ['no end of an object', '{"a":"b"', 'ends where'],
    ['a comma before the end', '{"a":"b",}', 'something else where'],
    ['a comma at the start', '{,"a":"b"}', 'something else where'],
    ['no comma', '{"a":"b" "c":"d"}', 'something else where'],
    ['a list', '[]', 'an object is due'],
    ['a byte order mark', '\ufeff{}', 'an object is due'],
    ['nothing', '', 'ends where an object is due'],
    ['a tab inside a text', '{"a":"\t"}', 'control character'],
    ['an unknown escape', '{"a":"\\x41"}', 'does not know'],
    ['an escape of three digits', '{"a":"\\u00g0"}', 'does not know'],
    ['a high half alone', '{"a":"\\ud83d"}', 'half of a surrogate pair'],
    ['a low half alone', '{"a":"\\ude00"}', 'half of a surrogate pair'],
    ['two high halves', '{"a":"\\ud83d\\ud83d"}', 'half of a surrogate pair'],
    ['a comment', '{/**/}', 'something else where'],
    ['single quotes', "{'a':''}", 'something else where'],
  ])('refuses %s in pieces of any size', async (_what, document, message) => {
    for (let size = 1; size < 9; size += 1) expect((await faultOf(document, size)).message).toContain(message);
  });

  it('says at which byte, and never what stands there', async () => {
    const fault = await faultOf('{"a":"secret" secret}');
    expect(fault.offset).toBe(14);
    expect(fault.message).not.toContain('secret');
  });

  it.each([
    ['0', 0],
    ['10', 10],
    ['1e3', 1000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads the whole number %s', async (text, value) => {
    expect(await new JsonReader(cut(Buffer.from(`${text} `), 1)).readCount()).toBe(value);
  });

  it.each(['-1', '1.5', '01', '1e400', '9007199254740993', '"1"', 'true', '+1', '', '1-1', '9'.repeat(60)])(
    'takes %s for no whole number',
    async (text) => {
      const reader = new JsonReader(cut(Buffer.from(`${text} `), 2));
      await expect(reader.readCount().then(() => reader.readEnd())).rejects.toThrow(JsonFault);
    },
  );

  it('bounds a short string', async () => {
    const read = (text: string, most: number) =>
      new JsonReader(cut(Buffer.from(JSON.stringify(text)), 4)).readString(most);
    expect(await read('é'.repeat(4), 8)).toBe('éééé');
    await expect(read('é'.repeat(4), 7)).rejects.toThrow('over 7 bytes');
  });
});

describe('createUtf8Check', () => {
  const judge = (bytes: Uint8Array, size: number): boolean => {
    const check = createUtf8Check();
    for (let at = 0; at < bytes.length; at += size) if (!check.take(bytes.subarray(at, at + size))) return false;
    return check.isWhole();
  };
  const isValid = (bytes: Uint8Array): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  };

  it('judges as a decoder does, wherever the bytes are cut', () => {
    const odd = fc.constantFrom(
      0x00,
      0x41,
      0x7f,
      0x80,
      0xa0,
      0xbf,
      0xc0,
      0xc2,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0xff,
    );
    const piece = fc.oneof(
      odd.map((byte) => Buffer.from([byte])),
      fc.string({ unit: 'binary', maxLength: 4 }).map((text) => Buffer.from(text, 'utf8')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 8 }), (pieces, size) => {
        const bytes = Buffer.concat(pieces);
        expect(judge(bytes, size)).toBe(isValid(bytes));
      }),
    );
  });
});
