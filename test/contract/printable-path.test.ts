import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printablePath } from '../../src/contract/printable-path.js';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test.each<[Uint8Array, string]>([
  [Buffer.from('src/a b.ts'), 'src/a b.ts'],
  [Buffer.from('naïve/日本/😀'), 'naïve/日本/😀'],
  [Buffer.from('"quoted" \\ \'too\''), '"quoted" \\ \'too\''],
  [Buffer.from('a\nb\tc\rd\be\ff'), 'a\\nb\\tc\\rd\\be\\ff'],
  [Buffer.from('a\u001b[0m\u007f\u0085'), 'a\\u001b[0m\\u007f\\u0085'],
  [Buffer.from('a\u202eb\u2028c\u200bd\ufeff'), 'a\\u202eb\\u2028c\\u200bd\\ufeff'],
  [Buffer.from('tag\u{e0041}'), 'tag\\u{e0041}'],
  [Buffer.from('family 👨‍👩‍👧'), 'family 👨‍👩‍👧'],
  [latin1('caf\xe9'), 'caf\\xe9'],
  [latin1('\xff\xfe'), '\\xff\\xfe'],
  [latin1('\xe2\x82'), '\\xe2\\x82'],
  [latin1('\xed\xa0\x80'), '\\xed\\xa0\\x80'],
])('%j is printed as %j.', (path, printed) => {
  expect(printablePath(path)).toBe(printed);
});

test('Any path is one line without controls, from shared memory too.', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (path) => {
      const memory = new Uint8Array(new SharedArrayBuffer(path.length));
      memory.set(path);
      const printed = printablePath(memory);
      expect(printed).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(printed).not.toBe('');
      expect(Buffer.from(printed).toString()).toBe(printed);
    }),
  );
});
