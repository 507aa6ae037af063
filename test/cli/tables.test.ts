import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStyle } from '../../src/cli/style.js';
import { formatTable } from '../../src/cli/tables.js';
import { clipText, textWidth } from '../../src/cli/text-width.js';
import { showBytes, showCount, showDuration, showShare } from '../../src/contract/show-amount.js';

describe('a table', () => {
  const heads = [{ head: 'item' }, { head: 'bytes', align: 'right' }, { head: 'path', clips: true }] as const;
  const rows = [
    ['itm-0001', '12', 'src/cli/tables.ts'],
    ['itm-0002', '1,204', 'README.md'],
  ];

  it('aligns its columns and pads no line at its end', () => {
    expect(formatTable(heads, rows, null)).toEqual([
      'item      bytes  path',
      'itm-0001     12  src/cli/tables.ts',
      'itm-0002  1,204  README.md',
    ]);
  });

  it('clips the one column that may be when the terminal is narrow', () => {
    expect(formatTable(heads, rows, 28)).toEqual([
      'item      bytes  path',
      'itm-0001     12  src/cli/ta…',
      'itm-0002  1,204  README.md',
    ]);
  });

  it('has no head line when no column has a head', () => {
    expect(formatTable([{ head: '' }, { head: '' }], [['a', 'b']], null)).toEqual(['a  b']);
  });

  it('counts wide characters as two columns and styles as none', () => {
    const style = createStyle(true);
    const lines = formatTable(
      [{ head: '' }, { head: '' }],
      [
        ['読書', 'x'],
        [style.bad('four'), 'y'],
        ['é', 'z'],
      ],
      null,
    );
    expect(lines.map((line) => textWidth(line))).toEqual([7, 7, 7]);
  });
});

describe('widths', () => {
  it.each<[string, number]>([
    ['plain', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['한글', 4],
    ['ｆｕ', 4],
    ['👩‍💻', 2],
    ['', 0],
  ])('of %s is %i', (text, columns) => expect(textWidth(text)).toBe(columns));

  it('of a clipped text is never over what there is, and an unclipped one is unchanged', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '日', 'é', '👩‍💻', '/', ' ') });
    fc.assert(
      fc.property(texts, fc.nat(30), (text, columns) => {
        const clipped = clipText(text, columns);
        expect(textWidth(clipped)).toBeLessThanOrEqual(columns);
        if (textWidth(text) <= columns) expect(clipped).toBe(text);
      }),
    );
  });
});

describe('amounts', () => {
  it.each<[number, string]>([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 * 1024 - 1, '1.0 MiB'],
    [4194304, '4.0 MiB'],
    [268435456, '256.0 MiB'],
    [5 * 1024 ** 3, '5.0 GiB'],
  ])('%i bytes are %s', (bytes, text) => expect(showBytes(bytes)).toBe(text));

  it.each<[number, string]>([
    [4.6, '5 ms'],
    [12_340, '12.3 s'],
    [59_949, '59.9 s'],
    [60_000, '1 min 00 s'],
    [245_000, '4 min 05 s'],
  ])('%i ms are %s', (ms, text) => expect(showDuration(ms)).toBe(text));

  it.each<[number, number, string]>([
    [0, 10, '0 %'],
    [1, 10_000, '<1 %'],
    [9999, 10_000, '99 %'],
    [10, 10, '100 %'],
    [3, 0, '0 %'],
  ])('%i of %i is %s', (part, whole, text) => expect(showShare(part, whole)).toBe(text));

  it('count in thousands', () => expect(showCount(1204000)).toBe('1,204,000'));
});

describe('styles', () => {
  it('give their text back unchanged without colour', () => {
    const style = createStyle(false);
    expect(Object.values(style).map((paint) => paint('x'))).toEqual(Array(6).fill('x'));
  });

  it('wrap it with colour, whatever the environment of the test says', () => {
    for (const paint of Object.values(createStyle(true))) expect(paint('x')).toMatch(/^.\[\d+mx.\[\d+m$/);
  });
});
