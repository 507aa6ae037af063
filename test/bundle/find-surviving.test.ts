import { describe, expect, it } from 'vitest';
import { findSurviving, placeSurvivors, writtenIn } from '../../src/bundle/find-surviving.js';
import { type Framed, frameBundle } from '../../src/bundle/frame.js';
import { spanOf, textOf } from '../support/made-texts.js';

const written = [
  { start: 10, end: 20 },
  { start: 20, end: 25 },
  { start: 40, end: 50 },
];

describe('findSurviving', () => {
  it.each([
    ['inside one placeholder', 12, 18, false],
    ['a placeholder exactly', 10, 20, false],
    ['two placeholders that touch', 10, 25, false],
    ['one byte before', 9, 20, true],
    ['one byte after', 20, 26, true],
    ['from one placeholder to another over other bytes', 22, 42, true],
    ['elsewhere', 0, 5, true],
    ['after all of them', 60, 61, true],
  ])('judges %s', (_what, start, end, survives) => {
    expect(findSurviving([spanOf(start, end)], written).length).toBe(survives ? 1 : 0);
  });

  it('trusts positions and never text that looks like a placeholder', () => {
    const framed = frameOne('say [blanked token:test #1] here', 'a.ts');
    const at = Buffer.from(framed.message).indexOf('[blanked token:test');
    expect(findSurviving([spanOf(at, at + 23)], writtenIn(framed)).length).toBe(1);
  });
});

describe('placeSurvivors', () => {
  const framed = frameOne('one\nSECRET two\n', 'dir/a.ts');
  const find = (text: string): { start: number; end: number } => {
    const start = Buffer.from(framed.message).indexOf(text);
    return { start, end: start + text.length };
  };

  it('puts a survivor into the text it stands in, with its line there', () => {
    expect(placeSurvivors(framed, [spanOf(find('SECRET').start, find('SECRET').end, { line: 99 })])).toMatchObject([
      { itemIndex: 0, part: 'text', span: { start: 4, end: 10, line: 2 } },
    ]);
  });

  it('takes a whole name for a survivor in a header line', () => {
    const { start, end } = find('a.ts');
    expect(placeSurvivors(framed, [spanOf(start, end)])).toMatchObject([
      { itemIndex: 0, part: 'name', span: { start: 0, end: 8, line: 0 } },
    ]);
  });

  it('gives no place to a survivor in the frame’s own lines', () => {
    const { start, end } = find('coldseal-bundle');
    expect(placeSurvivors(framed, [spanOf(start, end)])).toEqual([]);
    const { start: tail } = find(' end ===');
    expect(placeSurvivors(framed, [spanOf(tail, tail + 4)])).toEqual([]);
  });

  it('cuts a survivor that reaches from a header into the text', () => {
    const { start } = find('===\none');
    expect(placeSurvivors(framed, [spanOf(start, start + 6)])).toMatchObject([
      { part: 'text', span: { start: 0, end: 2, line: 1 } },
    ]);
  });
});

function frameOne(text: string, name: string): Framed {
  const item = { id: 'itm-0001', input: 'path', omitted: null, fields: [] } as const;
  return frameBundle([{ ...item, name: textOf(name, { part: 'name' }), text: textOf(text) }], new Map());
}
