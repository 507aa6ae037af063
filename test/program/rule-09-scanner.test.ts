/** Rule 9: without a whole scanner, or with a finding that stays, nothing leaves. */
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import { projectFolder, runColdseal } from '../support/run-coldseal.js';

let world: ProgramWorld;
let repository: MadeRepository;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
  repository.commit('second', { 'a.txt': 'b\n' });
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const ruleFile = (rule: object): string =>
  JSON.stringify({
    family: 'private',
    rules: [{ id: 'word', kind: 'private:word', severity: 'block', group: 0, ...rule }],
  });

/** A home whose owner has this rule file; `null` names a folder that is not there. */
const homeWithRules = (content: string | null) => {
  const { oracle, coldseal } = world.fragment();
  const home = makeProgramHome({ oracle, coldseal: { ...coldseal, rules_dir: 'rules' } });
  if (content !== null) {
    mkdirSync(join(home.machineFolder, 'rules'));
    writeFileSync(join(home.machineFolder, 'rules', 'own.json'), content);
  }
  return home;
};

describe('rule 9: a scanner that is not whole', () => {
  const BROKEN: readonly (readonly [name: string, content: string | null, said: RegExp])[] = [
    ['a rules folder that is not there', null, /rules folder .* cannot be read.*rules_dir/],
    ['a rule file that is no JSON', '{', /own\.json.*JSON/],
    ['an unknown member', ruleFile({ pattern: 'x', patern: 'y' }), /own\.json.*"word".*"patern" is not known/],
    ['a pattern that is no RE2', ruleFile({ pattern: '(?=x)y' }), /own\.word.*RE2 cannot compile/],
    ['a pattern that does not end', ruleFile({ pattern: '(' }), /own\.word.*RE2 cannot compile/],
    ['a rule that matches the placeholder alone', ruleFile({ pattern: '\\[blanked' }), /own\.word.*\[blanked/],
    ['a rule without a pattern', ruleFile({}), /own\.json.*word.*"pattern"/],
    ['a kind of another family', ruleFile({ pattern: 'x', kind: 'token:x' }), /own\.json.*word.*"kind"/],
  ];

  it('is refused before any call, for a plan and for a send, naming the file', async () => {
    await atOnce(BROKEN, async ([name, content, said]) => {
      const home = homeWithRules(content);
      try {
        const plan = await home.runJson(repository.folder, ['review', '--plan']);
        expect(plan.ended, name).toMatch(/^2 refused SCANNER_DEGRADED /);
        const send = await home.runJson(repository.folder, ['review']);
        expect(send.ended, name).toMatch(/^2 refused SCANNER_DEGRADED /);
        expect(send.document.message, name).toMatch(said);
        expect(home.rows(), name).toMatchObject([{ event: 'refused', code: 'SCANNER_DEGRADED' }]);
      } finally {
        home.remove();
      }
    });
    expect(world.sandbox.connections()).toBe(0);
  });

  it('is refused when the shipped rule tables are damaged', async () => {
    const install = makeTestFolder();
    try {
      cpSync(join(projectFolder, 'dist'), join(install, 'dist'), { recursive: true });
      for (const name of ['config', 'node_modules', 'package.json']) {
        symlinkSync(join(projectFolder, name), join(install, name));
      }
      truncateSync(join(install, 'dist/rules.tables'), 4096);
      const program = join(install, 'dist/cli.js');
      const ran = await runColdseal(['review', '--json'], { folder: repository.folder, home: world.home, program });
      expect(ran.exit).toBe(2);
      expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'refused', code: 'SCANNER_DEGRADED' });
      expect(world.sandbox.connections()).toBe(0);
    } finally {
      rmSync(install, { recursive: true, force: true });
    }
  });
});

describe('rule 9: a finding that survives the blanking', () => {
  it('is refused before any call: an owner’s rule that hits our own frame lines', async () => {
    const home = homeWithRules(ruleFile({ pattern: 'coldseal-bundle' }));
    try {
      const { ended } = await home.runJson(repository.folder, ['review']);
      expect(ended).toMatch(/^2 refused FINDING_SURVIVES /);
      expect(home.rows()).toMatchObject([{ event: 'refused', code: 'FINDING_SURVIVES' }]);
      expect(world.sandbox.connections()).toBe(0);
    } finally {
      home.remove();
    }
  });

  it('is not met by a sound rule of the owner’s: its hits are blanked and the bundle leaves', async () => {
    const home = homeWithRules(ruleFile({ pattern: 'plainword' }));
    const made = makeRepository();
    try {
      made.commit('first', { 'a.txt': 'a\n' });
      made.commit('second', { 'a.txt': 'a plainword here\n' });
      const { ended } = await home.runJson(made.folder, ['review']);
      expect(ended).toBe('0 sent');
      expect(world.message()).toContain('\n+a [blanked private:word] here\n');
    } finally {
      home.remove();
      made.close();
    }
  });
});
