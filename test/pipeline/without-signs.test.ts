import { describe, expect, it } from 'vitest';
import { withoutSigns } from '../../src/pipeline/without-signs.js';

const read = (text: string): string =>
  Buffer.from(withoutSigns({ bytes: Buffer.from(text), echo: true }).bytes).toString();

describe('a value heard in a diff', () => {
  it.each([
    ['one line', 'abc', 'abc'],
    ['one line that begins like a sign', '+abc', '+abc'],
    ['added lines', 'a\n+b\n+c', 'a\nb\nc'],
    ['removed and kept lines', 'a\n-b\n c', 'a\nb\nc'],
    ['a sign after the sign', 'a\n++b', 'a\n+b'],
    ['CRLF', 'a\r\n+b\r\n+c', 'a\r\nb\r\nc'],
    ['empty lines', 'a\n+\n+c\n', 'a\n\nc\n'],
    ['lines that are no diff’s', 'a\nb\n+c', 'a\nb\n+c'],
    ['an empty line without a sign', 'a\n\n+c', 'a\n\n+c'],
    ['nothing', '', ''],
  ])('of %s is the file’s own', (_name, heard, own) => {
    expect(read(heard)).toBe(own);
  });
});
