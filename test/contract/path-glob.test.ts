import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, globProblem, LONGEST_GLOB_BYTES } from '../../src/contract/path-glob.js';

const bytes = (path: string): Uint8Array => new TextEncoder().encode(path);
const meets = (glob: string, path: string | Uint8Array, anyCase = false): boolean =>
  compileGlob(glob, { anyCase })(typeof path === 'string' ? bytes(path) : path);

const MET: readonly [glob: string, path: string][] = [
  ['README.md', 'README.md'],
  ['README.md', 'docs/deep/README.md'],
  ['*.md', 'a/b/c.md'],
  ['*', 'any/.name'],
  ['docs/*.md', 'docs/a.md'],
  ['docs/**', 'docs/a.md'],
  ['docs/**', 'docs/a/b/c.md'],
  ['docs/**/a.md', 'docs/a.md'],
  ['docs/**/a.md', 'docs/x/a.md'],
  ['docs/**/a.md', 'docs/x/y/a.md'],
  ['**/a.md', 'a.md'],
  ['**/a.md', 'x/y/a.md'],
  ['**/**/a.md', 'a.md'],
  ['a/**/b/**/c', 'a/b/c'],
  ['a/**/b/**/c', 'a/x/b/y/z/c'],
  ['src/**.ts', 'src/a/b.ts'],
  ['src**', 'x/srcs'],
  ['x/src**', 'x/src/a'],
  ['**', 'a/b/c'],
  ['a?c', 'abc'],
  ['a?c', 'aéc'],
  ['a?c', 'a😀c'],
  ['???', 'äöü'],
  ['a*c', 'ac'],
  ['a*b*c', 'a-b-b-c'],
  ['x/a***b', 'x/a/b'],
  ['dir/*/x', 'dir/sub/x'],
  ['.*', 'a/.hidden'],
  ['*', '.hidden'],
  ['[ab].txt', '[ab].txt'],
  ['{a,b}', '{a,b}'],
  ['!a', '!a'],
  ['#a', '#a'],
  ['-rf', '-rf'],
  ['a b', 'a b'],
  ['"a"', '"a"'],
  ["it's", "it's"],
  ['a\nb', 'a\nb'],
  ['(a|b)+^$', '(a|b)+^$'],
  ['a.b', 'a.b'],
];

const NOT_MET: readonly [glob: string, path: string][] = [
  ['src**', 'src/a'],
  ['README.md', 'README.md.bak'],
  ['README.md', 'xREADME.md'],
  ['README.md', 'README.md/x'],
  ['*.md', 'a.mdx'],
  ['docs/*.md', 'docs/a/b.md'],
  ['docs/*.md', 'x/docs/a.md'],
  ['docs/a.md', 'x/docs/a.md'],
  ['docs/**', 'docs'],
  ['docs/**', 'docsx/a'],
  ['docs/**/a.md', 'docs/xa.md'],
  ['docs/**/a.md', 'docsa.md'],
  ['**/a.md', 'xa.md'],
  ['**/a.md', 'x/ya.md'],
  ['a?c', 'a/c'],
  ['a?c', 'ac'],
  ['a?c', 'abbc'],
  ['x/a*c', 'x/a/c'],
  ['[ab].txt', 'a.txt'],
  ['{a,b}', 'a'],
  ['a.b', 'axb'],
  ['README.md', 'readme.md'],
  ['é', 'e\u0301'],
  ['src/**.ts', 'src.ts'],
  ['dir/*/x', 'dir//y'],
];

describe('a path glob', () => {
  it.each(MET)('%j meets %j', (glob, path) => {
    expect(meets(glob, path)).toBe(true);
  });

  it.each(NOT_MET)('%j does not meet %j', (glob, path) => {
    expect(meets(glob, path)).toBe(false);
  });

  it('meets bytes that are no UTF-8 one by one, and never a replacement character', () => {
    const path = new Uint8Array([0x61, 0xff, 0xc3, 0x62]);
    expect(meets('a??b', path)).toBe(true);
    expect(meets('a*b', path)).toBe(true);
    expect(meets('a?b', path)).toBe(false);
    expect(meets('a\ufffd\ufffdb', path)).toBe(false);
    expect(meets('?', new Uint8Array([0xed, 0xa0, 0x80]))).toBe(false);
    expect(meets('???', new Uint8Array([0xed, 0xa0, 0x80]))).toBe(true);
    expect(meets('?', new Uint8Array([0xc0, 0xaf]))).toBe(false);
  });

  it('folds ASCII letters alone when asked to', () => {
    expect(meets('.env*', 'a/.ENV.Local', true)).toBe(true);
    expect(meets('ID_RSA*', 'id_rsa.pub', true)).toBe(true);
    expect(meets('é', 'É', true)).toBe(false);
  });

  it('matches a long glob on a long path in bounded time', () => {
    const glob = `${'*a'.repeat(400)}b`;
    expect(meets(glob, 'a'.repeat(4096))).toBe(false);
    expect(meets(`${'**/a'.repeat(250)}/b`, `${'a/'.repeat(2000)}c`)).toBe(false);
  });

  it('meets a path by its own text whatever characters it holds, but the two that are special', () => {
    const segment = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => !/[*?/\\\0]/.test(text) && !/^\.+$/.test(text));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const path = segments.join('/');
        expect(meets(path, path)).toBe(true);
        expect(meets(`**/${path}`, path)).toBe(true);
        expect(meets(`**/${path}`, `x/y/${path}`)).toBe(true);
        expect(meets('**', path)).toBe(true);
        expect(meets(`x/${path}`, path)).toBe(false);
      }),
    );
  });

  it('agrees with a plain regular expression on short globs and paths', () => {
    const parts: Readonly<Record<string, string>> = { '**': '.*', '*': '[^/]*', '?': '[^/]' };
    const asExpression = (glob: string): RegExp => {
      const source = glob.replace(/(?<=^|\/)\*\*\/|\*\*|\*|\?/g, (part) => parts[part] ?? '(?:.*/)?');
      return new RegExp(`^(?:${source})$`, 's');
    };
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 8 }),
        (glob, path) => {
          fc.pre(!glob.includes('***') && glob.includes('/') && !glob.includes('//') && !path.includes('//'));
          fc.pre(!/\/\*\*\/\*\*/.test(glob) && !/^\*\*\/\*\*/.test(glob));
          expect(meets(glob, path)).toBe(asExpression(glob).test(path));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each<[glob: string, problem: RegExp | null]>([
    ['src/**', null],
    ['a b/[c]', null],
    ['..a/b..', null],
    ['', /is empty/],
    ['/etc/passwd', /is absolute/],
    ['../x', /holds "\.\."/],
    ['a/../b', /holds "\.\."/],
    ['a/..', /holds "\.\."/],
    ['a\\b', /holds a backslash/],
    ['C:\\x', /holds a backslash/],
    ['./a', /"\." or empty segment/],
    ['a//b', /"\." or empty segment/],
    ['vendor/', /ends in "\/"/],
    ['a\0b', /holds a NUL/],
    ['é'.repeat(LONGEST_GLOB_BYTES / 2), null],
    ['é'.repeat(LONGEST_GLOB_BYTES / 2 + 1), /is 1026 bytes long/],
  ])('judges the text %j', (glob, problem) => {
    if (problem === null) expect(globProblem(glob)).toBeNull();
    else expect(globProblem(glob)).toMatch(problem);
  });
});
