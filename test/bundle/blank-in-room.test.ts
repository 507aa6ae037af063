/** Texts that are written over where they stand: the same bytes as in fresh memory, for any room. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlankPart, blank } from '../../src/bundle/blank.js';
import type { BundleText } from '../../src/bundle/bundle-text.js';
import { mergeSpans } from '../../src/bundle/merge-spans.js';
import { numberValues } from '../../src/bundle/number-values.js';
import { anyTextWithSpans, spanOf, textOf } from '../support/made-texts.js';

/** The texts one after the other up to the end of one buffer, as a reading's are. */
const inOneRoom = (texts: readonly BundleText[], spareBytes: number) => {
  const length = texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const room = new SharedArrayBuffer(spareBytes + length);
  let at = spareBytes;
  const placed = texts.map((text) => {
    const bytes = new Uint8Array(room, at, text.bytes.length);
    bytes.set(text.bytes);
    at += bytes.length;
    return { ...text, bytes };
  });
  return { room, texts: placed };
};

const partsOf = (texts: readonly BundleText[]): readonly BlankPart[] => [
  Buffer.from('{"items":["'),
  ...texts.flatMap((text) => [{ inJson: text }, Buffer.from('","')]),
];

const shown = ({ texts, bytes }: ReturnType<typeof blank>) => ({
  message: Buffer.from(bytes).toString('latin1'),
  texts: texts.map(({ bytes: own, ...rest }) => ({ ...rest, own: Buffer.from(own).toString('latin1') })),
});

describe('blank in the room of its texts', () => {
  it('gives what fresh memory gives, and keeps each text to be read back', () => {
    fc.assert(
      fc.property(fc.array(anyTextWithSpans(), { maxLength: 6 }), fc.nat({ max: 400 }), (made, spareBytes) => {
        const texts = made.map(({ bytes, spans }) => textOf(bytes, { spans: mergeSpans(spans) }));
        const numbers = numberValues(texts);
        const { room, texts: roomed } = inOneRoom(texts, spareBytes);
        const fresh = blank(partsOf(texts), numbers);
        expect(shown(blank(partsOf(roomed), numbers, room))).toEqual(shown(fresh));
        expect(shown(blank(partsOf(fresh.texts), numbers)).message).toEqual(shown(fresh).message);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['enough before them', 64, true],
    ['too little for a placeholder that is longer than its span', 20, false],
    ['none', 0, false],
  ])('writes over them only with %s', (_what, spareBytes, isOver) => {
    const texts = [textOf('a "quoted" line\n'), textOf('key=SECRET\n', { spans: [spanOf(4, 10)] })];
    const { room, texts: roomed } = inOneRoom(texts, spareBytes);
    const before = Buffer.from(new Uint8Array(room)).toString('latin1');
    const { bytes } = blank(partsOf(roomed), numberValues(roomed), room);
    expect(bytes.buffer === room).toBe(isOver);
    expect(Buffer.from(new Uint8Array(room)).toString('latin1') === before).toBe(!isOver);
  });

  it('leaves texts alone that are wanted in another order than they stand in', () => {
    const { room, texts } = inOneRoom([textOf('one'), textOf('two')], 100);
    const { bytes } = blank(partsOf([...texts].reverse()), numberValues(texts), room);
    expect(bytes.buffer === room).toBe(false);
    expect(Buffer.from(bytes).toString()).toBe('{"items":["two","one","');
  });
});
