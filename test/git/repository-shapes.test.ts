import { chownSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type MadeRepository,
  makeRepository,
  makeTestFolder,
  runTestGit,
  wrapRepository,
} from '../support/make-repository.js';
import { callerUid, makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { readPlan } from '../support/read-plan.js';

let opener: TestOpener;
let made: MadeRepository;
let outside: string;

beforeEach(() => {
  opener = makeOpener();
  made = makeRepository();
  outside = makeTestFolder();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
  rmSync(outside, { recursive: true, force: true });
});

const twoCommits = (into = made): readonly [string, string] => [
  into.commit('first', { 'a.txt': 'one\n' }),
  into.commit('second', { 'a.txt': 'two\n' }),
];

describe('Shapes of repositories', () => {
  test('A SHA-256 repository is read with full names of 64 digits.', async () => {
    const sha256 = makeRepository({ objectFormat: 'sha256' });
    const [first, second] = twoCommits(sha256);
    const repository = await opener.open(sha256.folder);
    expect(repository.objectFormat).toBe('sha256');
    expect(second).toMatch(/^[0-9a-f]{64}$/);
    expect(await repository.rootCommits(second)).toEqual([first]);
    expect((await readPlan(repository)).map(({ text }) => text)[1]).toBe('two\n');
    expect(await repository.changes(repository.emptyTree, first)).toHaveLength(1);
    sha256.close();
  });

  test('A bare repository has no work tree and the same bundle.', async () => {
    twoCommits();
    const bare = join(outside, 'bare.git');
    runTestGit(outside, ['clone', '--quiet', '--bare', made.folder, bare]);
    const repository = await opener.open(bare);
    expect(repository.workTree).toBeNull();
    expect(await repository.isTracked('a.txt')).toBe(false);
    expect(await readPlan(repository)).toEqual(await readPlan(await opener.open(made.folder)));
  });

  test('A repository that is bare by its settings has no work tree although its folder is called .git.', async () => {
    twoCommits();
    made.git(['config', 'core.bare', 'true']);
    expect((await opener.open(made.folder)).workTree).toBeNull();
  });

  test('A linked work tree has its own HEAD over the shared objects.', async () => {
    const [first, second] = twoCommits();
    const linked = join(outside, 'linked');
    made.git(['worktree', 'add', '--quiet', linked, '-b', 'side', first]);
    const side = wrapRepository(linked);
    const third = side.commit('third', { 'b.txt': 'three\n' });
    const repository = await opener.open(linked);
    expect(repository.workTree).toBe(linked);
    expect(await repository.head()).toBe(third);
    expect(await repository.resolveCommit('main')).toBe(second);
    expect(await repository.isTracked('b.txt')).toBe(true);
    expect((await readPlan(repository)).map(({ name }) => name)[1]).toBe('b.txt');
  });

  test('A folder inside the work tree finds its root.', async () => {
    made.commit('first', { 'deep/er/a.txt': 'one\n' });
    const repository = await opener.open(join(made.folder, 'deep/er'));
    expect(repository.workTree).toBe(made.folder);
    expect(await repository.isTracked('deep')).toBe(true);
    expect(await repository.isTracked(join(made.folder, 'deep/er/a.txt'))).toBe(true);
    expect(await repository.isTracked(outside)).toBe(false);
    symlinkSync(made.folder, join(outside, 'link'));
    expect(await repository.isTracked(join(outside, 'link/deep/er'))).toBe(true);
    expect(await repository.isTracked(join(outside, 'link/deep/other/a.txt'))).toBe(false);
  });

  test('A submodule is a repository of its own, and to its parent a pointer.', async () => {
    const [, second] = twoCommits();
    const parent = makeRepository();
    parent.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', made.folder, 'sub']);
    parent.commit('with submodule');
    const items = await readPlan(await opener.open(parent.folder));
    expect(items.find(({ name }) => name === 'sub')?.text).toBe(`Subproject commit ${second}\n`);
    expect(items[0]?.text).toContain(`+Subproject commit ${second}\n`);
    expect((await opener.open(join(parent.folder, 'sub'))).workTree).toBe(join(parent.folder, 'sub'));
    parent.close();
  });

  test('Objects borrowed from another store are read.', async () => {
    twoCommits();
    const borrower = join(outside, 'borrower');
    runTestGit(outside, ['clone', '--quiet', '--shared', made.folder, borrower]);
    expect((await readPlan(await opener.open(borrower)))[1]?.text).toBe('two\n');
  });

  test('A repository without a commit has no HEAD and no default branch.', async () => {
    const repository = await opener.open(made.folder);
    expect(await repository.head()).toBeNull();
    expect(await repository.defaultBranch()).toBeNull();
    await expect(readPlan(repository)).rejects.toMatchObject({ code: 'NO_RANGE' });
  });

  test('A folder without a repository is NOT_A_REPOSITORY, and so is one that is not there.', async () => {
    await expect(opener.open(outside)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
    await expect(opener.open(join(outside, 'none'))).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
  });

  test('The default branch is the target of origin/HEAD before main and master.', async () => {
    const [first] = twoCommits();
    made.git(['branch', 'master', first]);
    const repository = await opener.open(made.folder);
    expect((await repository.defaultBranch())?.name).toBe('main');
    made.git(['update-ref', 'refs/remotes/origin/trunk', first]);
    made.git(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk']);
    expect(await repository.defaultBranch()).toEqual({ name: 'origin/trunk', commit: first });
  });

  test('Who the person is comes from the settings in force.', async () => {
    made.git(['config', 'user.name', 'Grace Example']);
    made.git(['config', 'user.email', 'grace@example.org']);
    const elsewhere = '[user]\n\tname = Grace Elsewhere\n[author]\n\temail = g@example.net\n';
    writeFileSync(join(outside, '.gitconfig'), elsewhere);
    const environment = { PATH: process.env['PATH'], HOME: outside, TMPDIR: outside };
    const repository = await opener.open(made.folder, { environment });
    const { names, emails } = await repository.identity();
    expect(names).toEqual(expect.arrayContaining(['Grace Example', 'Grace Elsewhere']));
    expect(emails).toEqual(expect.arrayContaining(['grace@example.org', 'g@example.net']));
  });
});

describe('A shallow clone', () => {
  const shallowClone = (depth: number): string => {
    for (let at = 1; at <= 5; at += 1) made.commit(`commit ${at}`, { 'a.txt': `${at}\n` });
    const folder = join(outside, 'shallow');
    runTestGit(outside, ['clone', '--quiet', `--depth=${depth}`, `file://${made.folder}`, folder]);
    return folder;
  };

  test('has no root commit that could be told.', async () => {
    const repository = await opener.open(shallowClone(3));
    expect(await repository.isShallow()).toBe(true);
    const head = (await repository.head()) ?? '';
    await expect(repository.rootCommits(head)).rejects.toMatchObject({ code: 'PROJECT_AMBIGUOUS' });
  });

  test('gives a range inside what was fetched its merge base.', async () => {
    const repository = await opener.open(shallowClone(3));
    const items = await readPlan(repository, { typed: 'HEAD~2..HEAD' });
    expect(items[0]?.text).toContain('-3\n+5\n');
  });

  test('refuses a range that needs an object which was not fetched.', async () => {
    const repository = await opener.open(shallowClone(1));
    await expect(readPlan(repository)).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
  });
});

describe('Damage', () => {
  const looseFile = (id: string): string => join(made.folder, '.git/objects', id.slice(0, 2), id.slice(2));

  test('A HEAD whose commit is missing is damage, not a repository without a commit.', async () => {
    const [, second] = twoCommits();
    rmSync(looseFile(second));
    const repository = await opener.open(made.folder);
    await expect(repository.head()).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
  });

  test.each(['missing', 'garbage', 'another object'])('A blob that is %s is ITEM_UNREADABLE.', async (how) => {
    twoCommits();
    const blob = made.git(['rev-parse', 'HEAD:a.txt']);
    const file = looseFile(blob);
    rmSync(file);
    if (how === 'garbage') writeFileSync(file, 'garbage');
    if (how === 'another object') writeFileSync(file, readFileSync(looseFile(made.git(['rev-parse', 'HEAD']))));
    const repository = await opener.open(made.folder);
    await expect(readPlan(repository)).rejects.toMatchObject({ code: 'ITEM_UNREADABLE' });
  });

  test('A root commit that is not what its name says is refused.', async () => {
    const [first, second] = twoCommits();
    const other = made.git(['commit-tree', '-m', 'other', `${first}^{tree}`]);
    const bytes = readFileSync(looseFile(other));
    rmSync(looseFile(first));
    writeFileSync(looseFile(first), bytes);
    const repository = await opener.open(made.folder);
    await expect(repository.rootCommits(second)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  });
});

describe.runIf(callerUid === 0)('Owners', () => {
  const SOMEBODY = 54321;

  test.each(['.git', '.git/objects', '.git/objects/pack', '.git/config'])(
    'A repository whose %s belongs to somebody else is GIT_UNSAFE.',
    async (path) => {
      twoCommits();
      chownSync(join(made.folder, path), SOMEBODY, SOMEBODY);
      await expect(opener.open(made.folder)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
      await expect(opener.open(made.folder, { uid: SOMEBODY })).resolves.toBeDefined();
    },
  );

  test('The owner is looked at before git is asked anything.', async () => {
    twoCommits();
    chownSync(join(made.folder, '.git'), SOMEBODY, SOMEBODY);
    const environment = { PATH: join(outside, 'nothing-here'), TMPDIR: outside };
    await expect(opener.open(made.folder, { environment })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  });

  test('A store that is named in quotes is not followed, because git would unquote another name than we look at.', async () => {
    twoCommits();
    writeFileSync(join(made.folder, '.git/objects/info/alternates'), `"${outside}\\057objects"\n`);
    await expect(opener.open(made.folder)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  });

  test('Stores that borrow from one another end, and one that is gone is only missing.', async () => {
    twoCommits();
    const objects = join(made.folder, '.git/objects');
    writeFileSync(join(objects, 'info/alternates'), `${objects}\n${join(outside, 'gone')}\n`);
    expect((await readPlan(await opener.open(made.folder)))[1]?.text).toBe('two\n');
  });

  test('A store that objects are borrowed from counts too.', async () => {
    twoCommits();
    const borrower = join(outside, 'borrower');
    runTestGit(outside, ['clone', '--quiet', '--shared', made.folder, borrower]);
    chownSync(join(made.folder, '.git/objects'), SOMEBODY, SOMEBODY);
    await expect(opener.open(borrower)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  });
});
