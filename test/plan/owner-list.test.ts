import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ListEntry } from '../../src/contract/item.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { type PlanWords, planOf, readPlan } from '../support/read-plan.js';

let made: MadeRepository;
let opener: TestOpener;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
  made.commit('first', {
    'a.ts': 'a\n',
    'lib/b.ts': 'b\n',
    'lib/deep/c.ts': 'c\n',
    'read me [1].md': 'm\n',
    '.dot': 'd\n',
  });
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const path = (glob: string): ListEntry => ({ kind: 'path', glob });
const input = (name: 'diff' | 'changed_files' | 'files'): ListEntry => ({ kind: 'input', input: name });
const namesOf = async (words: PlanWords) =>
  (await readPlan(await opener.open(made.folder), words)).map((item) => `${item.input} ${item.name}`);
const question = (...entries: readonly ListEntry[]): PlanWords => ({ kind: 'source_question', entries });

describe('An owner’s list', () => {
  test.each<[string, readonly string[]]>([
    ['*.ts', ['a.ts', 'lib/b.ts', 'lib/deep/c.ts']],
    ['lib/*.ts', ['lib/b.ts']],
    ['lib/**', ['lib/b.ts', 'lib/deep/c.ts']],
    ['read me [1].md', ['read me [1].md']],
    ['.*', ['.dot']],
    ['?.ts', ['a.ts', 'lib/b.ts', 'lib/deep/c.ts']],
  ])('with path:%s sends what it meets, in path order.', async (glob, names) => {
    expect(await namesOf(question(path(glob)))).toEqual(names.map((name) => `path ${name}`));
  });

  test('keeps its own order, and a file that is in it already is not sent twice.', async () => {
    expect(await namesOf(question(path('lib/deep/c.ts'), path('lib/**'), path('**')))).toEqual([
      'path lib/deep/c.ts',
      'path lib/b.ts',
      'path .dot',
      'path a.ts',
      'path read me [1].md',
    ]);
  });

  test('adds files to a review at the range’s head, after or before its inputs.', async () => {
    made.commit('second', { 'a.ts': 'a2\n' });
    made.commit('third', { 'lib/b.ts': 'b3\n' });
    const entries = [path('lib/b.ts'), input('changed_files'), path('a.ts')];
    const items = await readPlan(await opener.open(made.folder), { typed: 'HEAD~2..HEAD~1', entries });
    expect(items.map(({ input: word, name, text }) => [word, name, text])).toEqual([
      ['path', 'lib/b.ts', 'b\n'],
      ['changed_files', 'a.ts', 'a2\n'],
    ]);
  });

  test('that matches nothing is INPUT_MISSING, naming the entry and the command that sets it.', async () => {
    await expect(namesOf(question(path('a.ts'), path('*.go')))).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      message: expect.stringMatching(/path:\*\.go .*coldseal list set source_question/),
    });
  });

  test('that is not there for a question is INPUT_MISSING, naming the command that sets it.', async () => {
    await expect(namesOf({ kind: 'source_question' })).rejects.toMatchObject({
      code: 'INPUT_MISSING',
      message: expect.stringContaining('coldseal list set source_question path:GLOB'),
    });
    expect(await namesOf(question(input('files'), path('a.ts')))).toEqual(['path a.ts']);
  });

  test('reads tracked files of the commit, not what lies in the work tree.', async () => {
    made.write('untracked.ts', 'u\n');
    made.write('a.ts', 'changed\n');
    made.git(['add', 'a.ts']);
    const items = await readPlan(await opener.open(made.folder), question(path('*a*.ts'), path('a.ts')));
    expect(items.map(({ name, text }) => [name, text])).toEqual([['a.ts', 'a\n']]);
  });

  test('does not follow links: the link’s own text travels.', async () => {
    made.link('inside', 'lib');
    made.link('outside', '../../etc/hostname');
    made.commit('second');
    expect(
      (await readPlan(await opener.open(made.folder), question(path('inside'), path('outside')))).map(
        ({ text }) => text,
      ),
    ).toEqual(['lib', '../../etc/hostname']);
    await expect(namesOf(question(path('inside/*')))).rejects.toMatchObject({ code: 'INPUT_MISSING' });
  });

  test('without the diff deletes nothing from the account: there is no range to tell of.', async () => {
    const plan = await planOf(await opener.open(made.folder), question(path('a.ts')));
    expect(plan).toMatchObject({ listOrigin: 'owner', range: null, deleted: [] });
  });
});
