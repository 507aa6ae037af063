/** Files of a git folder that we read ourselves: a pipe or a device in their place must not hold the run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRepository } from '../../src/git/open-repository.js';
import { gitTestEnvironment, type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { callerUid, makeOpener, type TestOpener } from '../support/open-test-repository.js';

let made: MadeRepository;
let opener: TestOpener;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
  made.commit('first', { 'a.txt': 'one\n' });
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const readByUs = ['commondir', 'objects/info/alternates'];

const shapes: readonly (readonly [string, string, (file: string) => void])[] = [
  ['a pipe', 'is no regular file', (file) => void execFileSync('/usr/bin/mkfifo', [file])],
  ['a link to a device without an end', 'is no regular file', (file) => symlinkSync('/dev/zero', file)],
  ['a folder', 'is no regular file', (file) => void mkdirSync(file)],
  ['a file over its limit', 'which is the limit', (file) => writeFileSync(file, '#'.repeat(2 * 1024 * 1024))],
];

test.each(readByUs.flatMap((name) => shapes.map(([what, why, make]) => ({ name, what, why, make }))))(
  '$what in the place of $name is refused at once',
  async ({ name, why, make }) => {
    const file = join(made.folder, '.git', name);
    mkdirSync(join(file, '..'), { recursive: true });
    make(file);
    await expect(opener.open(made.folder)).rejects.toMatchObject({
      code: 'GIT_UNSAFE',
      message: expect.stringContaining(why),
    });
  },
);

test('A shallow file that is a link to a device is refused and not read.', async () => {
  const repository = await opener.open(made.folder);
  const head = made.git(['rev-parse', 'HEAD']);
  const device = join(made.folder, '.git', 'shallow');
  symlinkSync('/dev/zero', device);
  await expect(repository.mergeBase(head, head)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
});

test('A borrowed store whose name is outside UTF-8 is refused: decoded it would be another folder than git reads.', async () => {
  const store = Buffer.concat([Buffer.from(made.folder), Buffer.from([0x2f, 0xff])]);
  mkdirSync(store);
  const alternates = join(made.folder, '.git', 'objects', 'info', 'alternates');
  writeFileSync(alternates, Buffer.concat([store, Buffer.from('\n')]));
  await expect(opener.open(made.folder)).rejects.toMatchObject({
    code: 'GIT_UNSAFE',
    message: expect.stringContaining('outside UTF-8'),
  });
});

test('A temporary folder that is not there is a refusal that names it, not a fault of ours.', async () => {
  const gone = makeTestFolder();
  rmSync(gone, { recursive: true });
  const environment = { ...gitTestEnvironment(), TMPDIR: gone };
  const { signal } = new AbortController();
  const opening = openRepository(made.folder, { environment, uid: callerUid, signal });
  await expect(opening).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining(gone) });
});
