import { describe, expect, it } from 'vitest';
import { spansByLine, splitMarks } from '../../../src/page/show/split-marks.js';

const one = (kind: string, count = 1) => new Map([[kind, count]]);
/** Pieces in short: `T` text, `B` blanked, `D` doubtful. */
const short = (line: string, spans: ReadonlyMap<string, number> | undefined) =>
  splitMarks(line, spans).map(({ kind, text }) => `${kind.charAt(0).toUpperCase()}:${text}`);

describe('a line of a bundle', () => {
  it.each<[string, string, ReadonlyMap<string, number> | undefined, readonly string[]]>([
    ['nothing', '', undefined, []],
    ['plain text', 'const a = 1;', undefined, ['T:const a = 1;']],
    ['a mark', 'a [blanked token:x #1] b', one('token:x'), ['T:a ', 'B:[blanked token:x #1]', 'T: b']],
    ['a mark without a number', '[blanked net:ip]', one('net:ip'), ['B:[blanked net:ip]']],
    [
      'two of a kind',
      '[blanked net:ip][blanked net:ip]',
      one('net:ip', 2),
      ['B:[blanked net:ip]', 'B:[blanked net:ip]'],
    ],
    ['a look-alike where nothing was blanked', '[blanked token:x #1]', undefined, ['T:[blanked token:x #1]']],
    ['a look-alike of another kind', '[blanked token:y #1]', one('token:x'), ['T:[blanked token:y #1]']],
    [
      'one more than there are: nobody can say which',
      '[blanked token:x #1] [blanked token:x #2]',
      one('token:x'),
      ['D:[blanked token:x #1]', 'T: ', 'D:[blanked token:x #2]'],
    ],
  ])('with %s', (_what, line, spans, pieces) => expect(short(line, spans)).toEqual(pieces));

  it('loses nothing: its pieces are the line', () => {
    const line = 'x [blanked a] [blanked b #3] [blanked a] ] [blanked';
    expect(
      splitMarks(
        line,
        new Map([
          ['a', 1],
          ['b', 1],
        ]),
      )
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  });
});

it('spans are counted by line and kind, for one item', () => {
  const span = (item: string, line: number, kind: string) => ({ item, line, kind, rule: 'r' });
  const spans = [
    span('itm-0001', 3, 'a'),
    span('itm-0001', 3, 'a'),
    span('itm-0001', 0, 'b'),
    span('itm-0002', 3, 'a'),
  ];
  expect(spansByLine(spans, 'itm-0001')).toEqual(
    new Map([
      [3, one('a', 2)],
      [0, one('b')],
    ]),
  );
});
