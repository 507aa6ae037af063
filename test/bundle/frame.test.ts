import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Framed, type FrameItem, frameBundle } from '../../src/bundle/frame.js';
import { mergeSpans } from '../../src/bundle/merge-spans.js';
import { numberValues } from '../../src/bundle/number-values.js';
import { BUNDLE_WARNING } from '../../src/contract/bundle.js';
import type { InputName } from '../../src/contract/item.js';
import { anyBytes, anyTextWithSpans, spanOf, textOf } from '../support/made-texts.js';

const itemOf = (
  index: number,
  name: string,
  text: string | Uint8Array,
  more: Partial<FrameItem> = {},
  input: InputName = 'changed_files',
): FrameItem => {
  const id = `itm-${String(index).padStart(4, '0')}`;
  return {
    id,
    input,
    omitted: null,
    fields: [],
    name: textOf(name, { item: id, part: 'name' }),
    text: textOf(text, { item: id }),
    ...more,
  };
};

const frame = (items: readonly FrameItem[]): Framed =>
  frameBundle(items, numberValues(items.flatMap(({ name, text }) => [name, text])));
const messageOf = (framed: Framed): string => Buffer.from(framed.message).toString('utf8');

/** A reader that knows only the contract: boundary from the first line, sizes from header lines. */
const readItems = (message: Buffer): readonly { header: string; name: string; text: Buffer }[] => {
  const boundary = /^coldseal-bundle\/1 items=\d+ boundary=([0-9a-f]{16})\n/.exec(message.toString('latin1'))?.[1];
  if (boundary === undefined) throw new Error('no first line');
  const items: { header: string; name: string; text: Buffer }[] = [];
  let at = message.indexOf(`\n=== ${boundary} `) + 1;
  for (;;) {
    const lineEnd = message.indexOf('\n', at);
    const line = message.subarray(at, lineEnd === -1 ? message.length : lineEnd).toString('utf8');
    if (line === `=== ${boundary} end ===`) return items;
    const parts = /^=== [0-9a-f]{16} (itm-\d+ [a-z_]+) (\d+) (".*") ===$/.exec(line);
    if (parts === null) throw new Error(`no header line: ${line}`);
    const text = message.subarray(lineEnd + 1, lineEnd + 1 + Number(parts[2]));
    items.push({ header: parts[1] ?? '', name: JSON.parse(parts[3] ?? '""'), text });
    at = lineEnd + 1 + text.length + (text.at(-1) === 0x0a ? 0 : 1);
  }
};

describe('frameBundle', () => {
  it('writes the lines of the contract, in order', () => {
    const items = [
      itemOf(1, 'a..b', '+x\n', {}, 'diff'),
      itemOf(2, 'src/a "b".ts', 'no line end'),
      itemOf(3, 'logo.png', 'binary: logo.png\n', { omitted: 'binary' }),
      itemOf(4, '.env', 'withheld: .env\n', { omitted: 'withheld' }),
      itemOf(5, 'empty', ''),
    ];
    const hash = createHash('sha256').update(
      '=== itm-0001 diff 3 "a..b" ===\n+x\n' +
        '=== itm-0002 changed_files 11 "src/a \\"b\\".ts" ===\nno line end\n' +
        '=== itm-0003 changed_files 17 "logo.png" ===\nbinary: logo.png\n' +
        '=== itm-0004 changed_files 15 ".env" ===\nwithheld: .env\n' +
        '=== itm-0005 changed_files 0 "empty" ===\n\n',
    );
    const b = hash.digest('hex').slice(0, 16);
    expect(messageOf(frame(items)).split('\n')).toEqual([
      `coldseal-bundle/1 items=5 boundary=${b}`,
      BUNDLE_WARNING,
      'not shown: 1 withheld, 1 binary, 0 blanked',
      `=== ${b} itm-0001 diff 3 "a..b" ===`,
      '+x',
      `=== ${b} itm-0002 changed_files 11 "src/a \\"b\\".ts" ===`,
      'no line end',
      `=== ${b} itm-0003 changed_files 17 "logo.png" ===`,
      'binary: logo.png',
      `=== ${b} itm-0004 changed_files 15 ".env" ===`,
      'withheld: .env',
      `=== ${b} itm-0005 changed_files 0 "empty" ===`,
      '',
      `=== ${b} end ===`,
    ]);
  });

  it('counts what is blanked in names and texts, and gives the size of a text as it is sent', () => {
    const item = itemOf(1, 'ab', 'SECRET and SECRET', {
      name: textOf('key-SECRET', { part: 'name', spans: [spanOf(4, 10)] }),
      text: textOf('SECRET and SECRET', { spans: [spanOf(0, 6), spanOf(11, 17, { valueId: 1 })] }),
    });
    const message = messageOf(frame([item]));
    expect(message).toContain('\nnot shown: 0 withheld, 0 binary, 3 blanked\n');
    expect(message).toContain(' itm-0001 changed_files 51 "key-[blanked token:test #1]" ===\n');
    expect(message).toContain('\n[blanked token:test #1] and [blanked token:test #2]\n');
  });

  it('gives a bundle without items its frame', () => {
    const b = createHash('sha256').digest('hex').slice(0, 16);
    expect(messageOf(frame([]))).toBe(
      `coldseal-bundle/1 items=0 boundary=${b}\n${BUNDLE_WARNING}\nnot shown: 0 withheld, 0 binary, 0 blanked\n=== ${b} end ===`,
    );
  });

  it('cannot be made to show another item by lines that look like its own', () => {
    const honest = itemOf(1, 'a.ts', 'x\n');
    const known = /boundary=([0-9a-f]{16})/.exec(messageOf(frame([honest])))?.[1] ?? '';
    const lie = `=== ${known} itm-0002 changed_files 3 "b.ts" ===\nyes\n=== ${known} end ===\n`;
    for (const item of [
      itemOf(1, 'a.ts', `x\n${lie}`),
      itemOf(1, `a.ts" ===\\n${lie}`, 'x\n'),
      itemOf(1, 'a.ts', `${messageOf(frame([honest]))}\n`),
    ]) {
      const read = readItems(Buffer.from(frame([item]).message));
      expect(read.map(({ header }) => header)).toEqual(['itm-0001 changed_files']);
      expect(read[0]?.text.equals(item.text.bytes)).toBe(true);
    }
  });

  it('is read back item for item by whoever knows the contract, whatever the items hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyBytes, fc.string()), { maxLength: 6 }), (parts) => {
        const items = parts.map(([text, name], index) => itemOf(index + 1, name, text));
        const read = readItems(Buffer.from(frame(items).message));
        expect(read.length).toBe(items.length);
        read.forEach(({ name, text }, index) => {
          expect(name).toBe(Buffer.from(items[index]?.name.bytes ?? []).toString('utf8'));
          expect(text.equals(items[index]?.text.bytes ?? Buffer.alloc(0))).toBe(true);
        });
      }),
    );
  });

  it('says where names, texts and placeholders stand in the message', () => {
    fc.assert(
      fc.property(fc.array(anyTextWithSpans(), { minLength: 1, maxLength: 5 }), (parts) => {
        const items = parts.map(({ bytes, spans }, index) => ({
          ...itemOf(index + 1, '', bytes),
          name: textOf('dir "a"/key-SECRET', { part: 'name', spans: index % 2 === 0 ? [spanOf(12, 18)] : [] }),
          text: textOf(bytes, { spans: mergeSpans(spans) }),
        }));
        const framed = frame(items);
        const at = (start: number, end: number): string => Buffer.from(framed.message.subarray(start, end)).toString();
        for (const item of framed.items) {
          expect(at(item.start, item.start + 4)).toBe('=== ');
          expect(at(item.namePlace.start - 1, item.namePlace.start)).toBe('"');
          expect(at(item.namePlace.end, item.namePlace.end + 6)).toBe('" ===\n');
          for (const { start, end } of item.nameWritten)
            expect(at(start, end)).toMatch(/^\[blanked token:test #\d+\]$/);
          const { place, bytes, spans } = item.text;
          expect(Buffer.from(framed.message.subarray(place.start, place.end)).equals(bytes)).toBe(true);
          for (const { start } of spans) expect(at(place.start + start, place.start + start + 9)).toBe('[blanked ');
        }
      }),
    );
  });
});
