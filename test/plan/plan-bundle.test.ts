import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MadeRepository } from '../support/make-repository.js';
import { makeRepository, runTestGit } from '../support/make-repository.js';
import { makeOpener, type TestOpener } from '../support/open-test-repository.js';
import { planOf, readPlan } from '../support/read-plan.js';

let made: MadeRepository;
let opener: TestOpener;

beforeEach(() => {
  made = makeRepository();
  opener = makeOpener();
});

afterEach(async () => {
  expect(await opener.close()).toEqual([]);
  made.close();
});

const DIFF = '-r -p --full-index --no-renames --no-ext-diff --no-textconv --no-color -U3 --diff-algorithm=myers'.split(
  ' ',
);

test('A review of the last commit holds the diff as git prints it and each changed file in path order.', async () => {
  const base = made.commit('first', { 'a.txt': 'one\n', 'gone.txt': 'gone\n', 'same.txt': 'same\n' });
  made.remove('gone.txt');
  const head = made.commit('second', { 'b/new.txt': 'new\n', 'a.txt': 'two\n' });
  const repository = await opener.open(made.folder);
  const plan = await planOf(repository);
  expect(plan.range).toEqual({ base, head });
  expect(plan.deleted.map((path) => Buffer.from(path).toString())).toEqual(['gone.txt']);
  const items = await readPlan(repository);
  expect(items.map(({ id, input, name }) => [id, input, name])).toEqual([
    ['itm-0001', 'diff', `${base}..${head}`],
    ['itm-0002', 'changed_files', 'a.txt'],
    ['itm-0003', 'changed_files', 'b/new.txt'],
  ]);
  expect(items[0]?.text).toBe(`${runTestGit(made.folder, ['diff-tree', ...DIFF, base, head])}\n`);
  expect(items.slice(1).map(({ text }) => text)).toEqual(['two\n', 'new\n']);
});
