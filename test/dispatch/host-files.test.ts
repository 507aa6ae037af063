import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HostFolder, removeHostFile, writeHostFile } from '../../src/dispatch/host-files.js';

let root = '';
let outside = '';
let named = 0;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'coldseal-tree-'));
  outside = await mkdtemp(join(tmpdir(), 'coldseal-outside-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
  await rm(outside, { recursive: true });
});

const host = (changes: Partial<HostFolder> = {}): HostFolder => ({
  workTree: root,
  folders: ['reviews'],
  isTracked: async () => false,
  randomName: () => {
    named += 1;
    return `n${named}`;
  },
  ...changes,
});

const state = (...names: readonly string[]): string => join(root, '.abcd', '.work.local', ...names);
const unsafe = (message: RegExp) =>
  expect.objectContaining({ code: 'STATE_UNSAFE', message: expect.stringMatching(message) });

describe('a file for the host', () => {
  it('is written whole, mode 0600, in folders that only the caller can read, and hidden from git', async () => {
    expect(await writeHostFile(host(), 'rec-1.request.md', Buffer.from('text\n'))).toBe(
      '.abcd/.work.local/reviews/rec-1.request.md',
    );
    expect(await readFile(state('reviews', 'rec-1.request.md'), 'utf8')).toBe('text\n');
    expect((await lstat(state('reviews', 'rec-1.request.md'))).mode & 0o777).toBe(0o600);
    expect((await lstat(state('reviews'))).mode & 0o777).toBe(0o700);
    expect(await readFile(state('.gitignore'), 'utf8')).toBe('*\n');
    expect(await readdir(state('reviews'))).toEqual(['rec-1.request.md']);
  });

  it('takes the place of an older one of its name', async () => {
    await writeHostFile(host(), 'a.md', Buffer.from('old and longer'));
    await writeHostFile(host(), 'a.md', Buffer.from('new'));
    expect(await readFile(state('reviews', 'a.md'), 'utf8')).toBe('new');
    expect(await readdir(state('reviews'))).toEqual(['a.md']);
  });

  it('goes into deeper folders that are made on the way', async () => {
    const folders = ['scratch', 'reading-runs', 'rdg-7'];
    expect(await writeHostFile(host({ folders }), 'bundle.json', Buffer.from('{}'))).toBe(
      '.abcd/.work.local/scratch/reading-runs/rdg-7/bundle.json',
    );
  });

  it('is removed before a run’s call, and its absence is fine', async () => {
    await writeHostFile(host(), 'a.md', Buffer.from('old'));
    await removeHostFile(host(), 'a.md');
    await removeHostFile(host(), 'a.md');
    expect(await readdir(state('reviews'))).toEqual([]);
  });

  it('lives in a checkout whose own `.abcd` is tracked', async () => {
    await mkdir(join(root, '.abcd', 'development'), { recursive: true });
    const isTracked = async (path: string): Promise<boolean> =>
      path === '.abcd' || path.startsWith('.abcd/development');
    expect(await writeHostFile(host({ isTracked }), 'a.md', Buffer.from('x'))).toMatch(/a\.md$/);
  });

  it('gets a `.gitignore` back that somebody changed', async () => {
    await mkdir(state(), { recursive: true });
    await writeFile(state('.gitignore'), '!reviews\n');
    await writeHostFile(host(), 'a.md', Buffer.from('x'));
    expect(await readFile(state('.gitignore'), 'utf8')).toBe('*\n');
  });
});

describe('a file for the host is not written', () => {
  const links: readonly (readonly [string, () => string])[] = [
    ['.abcd', () => join(root, '.abcd')],
    ['.work.local', () => state()],
    ['reviews', () => state('reviews')],
  ];

  it.each(links)('where %s is a symbolic link', async (_name, path) => {
    await mkdir(join(path(), '..'), { recursive: true });
    await symlink(outside, path());
    await expect(writeHostFile(host(), 'a.md', Buffer.from('x'))).rejects.toEqual(unsafe(/is a symbolic link/));
    await expect(removeHostFile(host(), 'a.md')).rejects.toEqual(unsafe(/is a symbolic link/));
    expect(await readdir(outside)).toEqual([]);
  });

  it.each(links)('where %s is a file', async (_name, path) => {
    await mkdir(join(path(), '..'), { recursive: true });
    await writeFile(path(), '');
    await expect(writeHostFile(host(), 'a.md', Buffer.from('x'))).rejects.toEqual(unsafe(/is no directory/));
  });

  it('where its own name is a link, and what it points to stays', async () => {
    await mkdir(state('reviews'), { recursive: true });
    await writeFile(join(outside, 'kept'), 'kept');
    await symlink(join(outside, 'kept'), state('reviews', 'a.md'));
    await expect(writeHostFile(host(), 'a.md', Buffer.from('x'))).rejects.toEqual(unsafe(/no regular file/));
    await expect(removeHostFile(host(), 'a.md')).rejects.toEqual(unsafe(/no regular file/));
    expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('kept');
  });

  it('where the ignore file is a link', async () => {
    await mkdir(state(), { recursive: true });
    await symlink(join(outside, 'made'), state('.gitignore'));
    await expect(writeHostFile(host(), 'a.md', Buffer.from('x'))).rejects.toEqual(
      unsafe(/\.gitignore is no regular file/),
    );
    expect(await readdir(outside)).toEqual([]);
  });

  it('where git tracks something in the state folder', async () => {
    const isTracked = async (path: string): Promise<boolean> => path === '.abcd/.work.local';
    await expect(writeHostFile(host({ isTracked }), 'a.md', Buffer.from('x'))).rejects.toEqual(
      unsafe(/git rm -r --cached/),
    );
    expect(await readdir(root)).toEqual([]);
  });

  it('in a bare repository', async () => {
    await expect(writeHostFile(host({ workTree: null }), 'a.md', Buffer.from('x'))).rejects.toEqual(unsafe(/bare/));
  });

  it('where the folder may not be written', async () => {
    await mkdir(state('reviews'), { recursive: true });
    for (const folder of [root, join(root, '.abcd'), state()]) await chmod(folder, 0o755);
    await chmod(state('reviews'), 0o555);
    // Modes do not bind root, so a root run takes another user's rights for the write.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      await expect(writeHostFile(host(), 'a.md', Buffer.from('x'))).rejects.toEqual(unsafe(/EACCES/));
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    await chmod(state('reviews'), 0o700);
  });

  it.each([['../a'], ['a/b'], ['.hidden'], [''], ['a\u0000'], ['x'.repeat(200)]])('under the name %j', async (name) => {
    await expect(writeHostFile(host(), name, Buffer.from('x'))).rejects.toEqual(unsafe(/no name for a file/));
  });

  it.each([['..'], ['a/b'], ['']])('in the folder %j', async (folder) => {
    await expect(writeHostFile(host({ folders: [folder] }), 'a', Buffer.from('x'))).rejects.toEqual(
      unsafe(/no name for a folder/),
    );
  });

  it('over a first name that is taken, which is left as it is', async () => {
    await mkdir(state('reviews'), { recursive: true });
    await symlink(join(outside, 'made'), state('reviews', '.a.md.same.part'));
    await expect(writeHostFile(host({ randomName: () => 'same' }), 'a.md', Buffer.from('x'))).rejects.toEqual(
      unsafe(/EEXIST/),
    );
    expect(await readdir(outside)).toEqual([]);
  });
});
