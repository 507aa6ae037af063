import { describe, expect, it } from 'vitest';
import { IGNORABLE, takeInvisible } from '../../src/views/invisible.js';

describe('the characters that are drawn as nothing', () => {
  it('are those that Unicode calls so, all of them and no other', () => {
    const listed = (point: number): boolean => IGNORABLE.some(([first, last]) => point >= first && point <= last);
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      if (/\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point)) !== listed(point)) {
        wrong.push(point.toString(16));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a text that hides much', () => {
  it('is read to its end, whatever lies between: every hidden character inside a word is in some list', () => {
    const between = ['a', 'b', 'é', '“', '字', ' ', 'x'.repeat(70), 'y'.repeat(700)];
    const hidden = ['\u200b', '\u00ad', '\u{e0041}', '\u001b[m', '\ufe0f', '\u061c'];
    let text = '';
    const due: number[] = [];
    for (let k = 0; k < 40_000; k += 1) {
      text += between[(k * 7 + (k >> 3)) % between.length];
      const isDue = k % 3 === 0;
      text += isDue ? 'z' : '';
      if (isDue) due.push(Buffer.byteLength(text));
      text += `${hidden[k % hidden.length]}${isDue ? 'z' : ' '}`;
      if (text.length > 40_000) {
        expectAll(text, due);
        text = '';
        due.length = 0;
      }
    }
    expectAll('z\u200bz'.repeat(300_000), [1, 6, 1_310_721, 1_499_996]);
  });

  const expectAll = (text: string, due: readonly number[]): void => {
    const starts = new Set<number>();
    takeInvisible(Buffer.from(text), { isAscii: false, holdsEscapeByte: true }, (edits) => {
      for (const start of edits.starts) starts.add(start);
      return true;
    });
    expect(due.filter((start) => !starts.has(start))).toEqual([]);
  };
});
