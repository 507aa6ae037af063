/** Where `--output` may write. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requireWritable, writeOwnFile } from '../../src/cli/write-own-file.js';
import { makeTestFolder } from '../support/make-repository.js';

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = async (file: string): Promise<void> => {
  await requireWritable(folder, file);
  await writeOwnFile(folder, file, Buffer.from('answer\n'));
};

test('A new file is its owner’s alone, and an older one is written over.', async () => {
  await write('new.md');
  expect(statSync(join(folder, 'new.md')).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, 'old.md'), 'something longer than the answer\n');
  await write('old.md');
  expect(readFileSync(join(folder, 'old.md'), 'utf8')).toBe('answer\n');
});

test.each([
  ['a link to a file', () => symlinkSync('owners.txt', join(folder, 'out.md'))],
  ['a link to a file that is not there yet', () => symlinkSync('not-yet.txt', join(folder, 'out.md'))],
  ['a link to a folder', () => symlinkSync('.', join(folder, 'out.md'))],
  ['a link to itself', () => symlinkSync('out.md', join(folder, 'out.md'))],
  ['a folder', () => void mkdirSync(join(folder, 'out.md'))],
  ['a pipe that nobody reads', () => void execFileSync('/usr/bin/mkfifo', [join(folder, 'out.md')])],
])('%s in the place of the file is refused before the run and at its end, and nothing is written', async (_, make) => {
  writeFileSync(join(folder, 'owners.txt'), 'the owner’s\n');
  make();
  const refusal = { code: 'USAGE', message: expect.stringContaining('--output') };
  await expect(requireWritable(folder, 'out.md')).rejects.toMatchObject(refusal);
  await expect(writeOwnFile(folder, 'out.md', Buffer.from('answer\n'))).rejects.toMatchObject(refusal);
  expect(readFileSync(join(folder, 'owners.txt'), 'utf8')).toBe('the owner’s\n');
  expect(() => statSync(join(folder, 'not-yet.txt'))).toThrow('ENOENT');
});

test('A link that the shell made to an open pipe is written to.', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('/usr/bin/mkfifo', [pipe]);
  const both = openSync(pipe, 'r+');
  try {
    symlinkSync(`/dev/fd/${both}`, join(folder, 'out.md'));
    await write('out.md');
    const read = Buffer.alloc(7);
    expect(readSync(both, read)).toBe(7);
    expect(read.toString()).toBe('answer\n');
  } finally {
    closeSync(both);
  }
});
