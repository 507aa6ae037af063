import { describe, expect, it } from 'vitest';
import { maskPlaceholders } from '../../src/bundle/mask-placeholders.js';

const MARK = '[blanked token:netlify_key #1]';
const MASKED = '[blanked _____:___________ #_]';

const masked = (text: string, written: readonly { start: number; end: number }[], from = 0): string => {
  const copy = Buffer.from(text).subarray(from);
  maskPlaceholders(copy, from, written);
  return copy.toString();
};

describe('maskPlaceholders', () => {
  it('takes the words out of a placeholder that was written', () => {
    expect(masked(`a ${MARK} b`, [{ start: 2, end: 2 + MARK.length }])).toBe(`a ${MASKED} b`);
  });

  it('leaves what only looks like one', () => {
    const text = `${MARK} and ${MARK}`;
    expect(masked(text, [{ start: 0, end: MARK.length }])).toBe(`${MASKED} and ${MARK}`);
  });

  it('leaves what was written and is no placeholder', () => {
    expect(masked('receipt rcp-1', [{ start: 0, end: 13 }])).toBe('receipt rcp-1');
  });

  it('finds its way in a part of the text', () => {
    const text = `${MARK}, ${MARK}.`;
    const second = MARK.length + 2;
    const written = [
      { start: 0, end: MARK.length },
      { start: second, end: second + MARK.length },
    ];
    expect(masked(text, written, MARK.length)).toBe(`, ${MASKED}.`);
  });

  it('stops at the bracket of a span over several lines and at the end of the part', () => {
    const text = `${MARK}\n+\nnext`;
    expect(masked(text, [{ start: 0, end: text.length - 4 }])).toBe(`${MASKED}\n+\nnext`);
    expect(masked(MARK.slice(0, 14), [{ start: 0, end: MARK.length }])).toBe(MASKED.slice(0, 14));
  });
});
