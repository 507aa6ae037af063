import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { ObjectFormat } from '../../src/contract/repository.js';
import { findDirty } from '../../src/kinds/find-dirty.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeOpener } from '../support/open-test-repository.js';

let made: MadeRepository | null = null;
afterEach(() => made?.close());

const LARGE = 'the large file itself\n';
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(LARGE).digest('hex')}\nsize ${LARGE.length}\n`;

const dirtyAfter = async (change: (repository: MadeRepository) => void, format: ObjectFormat): Promise<string[]> => {
  made = makeRepository({ objectFormat: format });
  made.link('link', 'a.txt');
  made.commit('first', {
    'a.txt': 'one\ntwo\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'large.bin': POINTER,
    'folder/b.txt': 'b\n',
    // A pair that stands in two pieces of the read.
    'long.txt': `${'x'.repeat(256 * 1024 - 1)}\nend\n`,
  });
  change(made);
  const opener = makeOpener();
  try {
    const repository = await opener.open(made.folder);
    const files = await repository.listTree((await repository.head()) ?? '', () => true);
    const dirty = await findDirty(repository, made.folder, files, new AbortController().signal);
    return dirty.map(({ path }) => Buffer.from(path).toString());
  } finally {
    await opener.close();
  }
};

const cases: readonly (readonly [string, (repository: MadeRepository) => void, readonly string[]])[] = [
  ['nothing', () => undefined, []],
  ['a changed letter', ({ write }) => write('a.txt', 'one\ntwO\n'), ['a.txt']],
  ['a longer file', ({ write }) => write('a.txt', 'one\ntwo\nthree\n'), ['a.txt']],
  ['a removed file', ({ remove }) => remove('folder/b.txt'), ['folder/b.txt']],
  ['line ends of two bytes', ({ write }) => write('a.txt', 'one\r\ntwo\r\n'), []],
  [
    'line ends of two bytes across two pieces',
    ({ write }) => write('long.txt', `${'x'.repeat(256 * 1024 - 1)}\r\nend\r\n`),
    [],
  ],
  ['a carriage return alone', ({ write }) => write('a.txt', 'one\rtwo\n'), ['a.txt']],
  ['line ends that were of two bytes', ({ write }) => write('crlf.txt', 'one\ntwo\n'), ['crlf.txt']],
  ['the file that a pointer stands for', ({ write }) => write('large.bin', LARGE), []],
  ['another file where a pointer stands', ({ write }) => write('large.bin', `${LARGE}!`), ['large.bin']],
  [
    'a file in the place of a link',
    ({ remove, write }) => {
      remove('link');
      write('link', 'a.txt');
    },
    ['link'],
  ],
  [
    'a link that leads elsewhere',
    ({ remove, link }) => {
      remove('link');
      link('link', 'crlf.txt');
    },
    ['link'],
  ],
  [
    'a link in the place of a file',
    ({ remove, link }) => {
      remove('a.txt');
      link('a.txt', 'folder/b.txt');
    },
    ['a.txt'],
  ],
];

describe('findDirty', () => {
  it.each(cases)('judges %s', async (_what, change, expected) => {
    expect(await dirtyAfter(change, 'sha1')).toEqual(expected);
  });

  it('names objects by the repository’s own format', async () => {
    expect(await dirtyAfter(() => undefined, 'sha256')).toEqual([]);
    made?.close();
    expect(await dirtyAfter(({ write }) => write('a.txt', 'x'), 'sha256')).toEqual(['a.txt']);
  });
});
