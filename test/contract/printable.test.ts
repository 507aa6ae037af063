import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../src/contract/printable.js';

describe('text from outside', () => {
  it.each([
    ['plain, grün, 漢字, 🦭, 👩‍🚀', 'plain, grün, 漢字, 🦭, 👩‍🚀'],
    ['a\u001b[31mb', 'a\\x1b[31mb'],
    ['a\u0000\u007f\u009bb', 'a\\x00\\x7f\\x9bb'],
    ['a\rb\nc\td', 'a\\x0db\\x0ac\\x09d'],
    ['a\u202eb\u2066c\u200fd\u061ce', 'a\\u202eb\\u2066c\\u200fd\\u061ce'],
    ['a\u200bb\ufeffc\u00add', 'a\\u200bb\\ufeffc\\xadd'],
    ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['a\u{e0041}b', 'a\\u{e0041}b'],
    ['a\ud800b', 'a\\ud800b'],
    ['back\\slash', 'back\\slash'],
  ])('%j on one line is %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps line feeds and tabs where lines are shown, and no carriage return', () => {
    expect(printableLines('a\n\tb\r\nc\u001b')).toBe('a\n\tb\\x0d\nc\\x1b');
  });

  it('has nothing left that a terminal acts on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });
});
