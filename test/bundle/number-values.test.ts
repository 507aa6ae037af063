import { describe, expect, it } from 'vitest';
import { clipExempt } from '../../src/bundle/clip-exempt.js';
import { numberValues } from '../../src/bundle/number-values.js';
import { createValueTable } from '../../src/bundle/value-table.js';
import { spanOf } from '../support/made-texts.js';

describe('numberValues', () => {
  it('numbers by first appearance, text after text, and gives equal values one number', () => {
    const texts = [
      { spans: [spanOf(0, 1, { valueId: 5 }), spanOf(4, 5, { valueId: 2 })] },
      { spans: [] },
      { spans: [spanOf(0, 1, { valueId: 2 }), spanOf(1, 2, { valueId: 0, kind: 'pem:key' })] },
    ];
    expect([...numberValues(texts)]).toEqual([
      [5, 1],
      [2, 2],
      [0, 3],
    ]);
  });

  it.each(['identity:home_path', 'net:ipv4', 'private:student', 'harness:session_url'])(
    'gives a value of kind %s no number',
    (kind) => {
      expect(numberValues([{ spans: [spanOf(0, 1, { kind })] }]).size).toBe(0);
    },
  );

  it('numbers a value that is guessable in one place and a token in another', () => {
    const texts = [{ spans: [spanOf(0, 1, { kind: 'net:ipv4', valueId: 3 }), spanOf(2, 3, { valueId: 3 })] }];
    expect([...numberValues(texts)]).toEqual([[3, 1]]);
  });
});

describe('createValueTable', () => {
  it('knows equal bytes again, whatever bytes they are', () => {
    const table = createValueTable();
    const ids = [[0, 255], [255], [0, 255], []].map((bytes) => table.idOf(Uint8Array.from(bytes)));
    expect(ids).toEqual([0, 1, 0, 2]);
  });
});

describe('clipExempt', () => {
  const exempt = [
    { start: 10, end: 20 },
    { start: 30, end: 40 },
  ];
  it.each([
    [0, 5, ['0-5']],
    [12, 18, []],
    [10, 20, []],
    [5, 15, ['5-10']],
    [15, 25, ['20-25']],
    [5, 45, ['5-10', '20-30', '40-45']],
    [15, 35, ['20-30']],
    [20, 30, ['20-30']],
  ])('leaves of %i to %i what is not exempt', (start, end, expected) => {
    expect(clipExempt([spanOf(start, end)], exempt).map((span) => `${span.start}-${span.end}`)).toEqual(expected);
  });
});
