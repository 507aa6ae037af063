/** `coldseal rules` knows the owner's rules too: listed, explained, and named with their file when they do not load. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

let home: ProgramHome;
beforeEach(() => {
  home = makeProgramHome({
    coldseal: { rules_dir: 'rules', private: [{ id: 'student', pattern: 'S[0-9]{7}' }] },
  });
  mkdirSync(join(home.machineFolder, 'rules'), { mode: 0o700 });
});
afterEach(() => home.remove());

const put = (pattern: string): void => {
  const rules = [{ id: 'acme', kind: 'token:acme', severity: 'block', pattern, group: 0 }];
  writeFileSync(join(home.machineFolder, 'rules', 'a.json'), JSON.stringify({ family: 'secret', rules }));
};

it('lists and explains them, and says that they load', async () => {
  put('acme_[a-z]{9}');
  const { rules } = JSON.parse((await home.run(home.home, ['rules', 'list', '--json'])).stdout) as {
    rules: readonly { id: string }[];
  };
  expect(rules.slice(-2).map(({ id }) => id)).toEqual(['own.acme', 'private.student']);
  expect((await home.run(home.home, ['rules', 'explain', 'own.acme'])).stdout).toContain('pattern   acme_[a-z]{9}');
  const check = await home.run(home.home, ['rules', 'check', '--json']);
  expect([check.exit, JSON.parse(check.stdout)]).toMatchObject([0, { own: 2, problems: [] }]);
});

it('names file and id of one that RE2 refuses', async () => {
  put('(?=acme)x');
  const check = await home.run(home.home, ['rules', 'check']);
  expect([check.exit, check.stderr]).toEqual([2, expect.stringContaining('rule file a.json, rule "acme": RE2 cannot')]);
});
