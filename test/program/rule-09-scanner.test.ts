/** Rule 9: without a whole scanner, or with a finding that stays, nothing leaves. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
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

/** The text of the one rule file; what is done with the rules folder instead; `null` for a folder that is not there. */
type Rules = string | ((folder: string) => void) | null;

const homeWithRules = (rules: Rules) => {
  const { oracle, coldseal } = world.fragment();
  const home = makeProgramHome({ oracle, coldseal: { ...coldseal, rules_dir: 'rules' } });
  const folder = join(home.machineFolder, 'rules');
  if (typeof rules === 'string') {
    mkdirSync(folder);
    writeFileSync(join(folder, 'own.json'), rules);
  } else if (rules !== null) rules(folder);
  return home;
};

const emptyModule = (file: string): void => writeFileSync(file, Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));

/** Compiles AssemblyScript with the flags of the build. */
const compileModule = (source: string, file: string): void => {
  const sourceFile = `${file}.as.ts`;
  writeFileSync(sourceFile, source);
  const words = ['--config', 'none', '--outFile', file, '--runtime', 'stub', '--importMemory'];
  execFileSync(process.execPath, [join(projectFolder, 'node_modules/assemblyscript/bin/asc.js'), sourceFile, ...words]);
};

describe('rule 9: a scanner that is not whole', () => {
  const inFolder =
    (name: string, write: (file: string) => void): Rules =>
    (folder) => {
      mkdirSync(folder);
      write(join(folder, name));
    };

  const BROKEN: readonly (readonly [name: string, rules: Rules, said: RegExp])[] = [
    ['a rules folder that is not there', null, /rules folder .* cannot be read.*rules_dir/],
    [
      'a file in the folder’s place',
      (folder) => writeFileSync(folder, ''),
      /rules folder .* cannot be read.*rules_dir/,
    ],
    ['a folder that leads nowhere', (folder) => symlinkSync('nowhere', folder), /rules folder .* cannot be read/],
    ['a rule file that cannot be read', inFolder('own.json', (file) => mkdirSync(file)), /own\.json cannot be read/],
    [
      'a rule file that leads nowhere',
      inFolder('own.json', (file) => symlinkSync('nowhere', file)),
      /own\.json cannot be read/,
    ],
    ['rules in TOML that are none', inFolder('own.toml', (file) => writeFileSync(file, '[[rules]')), /own\.toml/],
    [
      'a pattern in TOML that is no RE2',
      inFolder('own.toml', (file) => writeFileSync(file, "[[rules]]\nid = 'word'\nregex = '''(?=x)y'''\n")),
      /own\.toml.*"word".*RE2 cannot compile/,
    ],
    [
      'a pattern in a filter that is no RE2',
      ruleFile({ pattern: 'x', filters: [{ kind: 'not-behind', pattern: '(?<!y)' }] }),
      /own\.json.*"word".*filter "not-behind".*RE2 cannot compile/,
    ],
    ['a rule file that is no JSON', '{', /own\.json.*JSON/],
    ['an unknown member', ruleFile({ pattern: 'x', patern: 'y' }), /own\.json.*"word".*"patern" is not known/],
    ['a pattern that is no RE2', ruleFile({ pattern: '(?=x)y' }), /own\.json.*"word".*RE2 cannot compile/],
    ['a pattern that does not end', ruleFile({ pattern: '(' }), /own\.json.*"word".*RE2 cannot compile/],
    ['a rule that matches the placeholder alone', ruleFile({ pattern: '\\[blanked' }), /own\.json.*"word".*\[blanked/],
    ['a rule without a pattern', ruleFile({}), /own\.json.*word.*"pattern"/],
    [
      'a rule whose group is not there',
      ruleFile({ pattern: 'x', group: 2 }),
      /own\.json.*"word".*"group" is 2, and the pattern has no group/,
    ],
    ['a kind of another family', ruleFile({ pattern: 'x', kind: 'token:x' }), /own\.json.*word.*"kind"/],
  ];

  it('is refused before any call, for a plan and for a send, naming the file', async () => {
    await atOnce(BROKEN, async ([name, rules, said]) => {
      const home = homeWithRules(rules);
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
  }, 600_000);

  /** A module with every export that a thread calls, which sees nothing. */
  const BLIND = `
    export function findHits(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32): void {}
    export function findRunHits(a: u32, b: u32, c: bool, d: bool, e: u32, f: u32, g: u32): u32 { return 0; }
    export function startChecking(): void {}
    export function hitsChecked(): u32 { return 0; }
    export function takeOverBudget(): bool { return false; }
    export function checkHits(a: u32, b: u32): u32 { return 0; }
    export function findCandidates(a: u32, b: u32): u32 { return 0; }
    export function triggersFound(): u32 { return 0; }
    export function runsFound(): u32 { return 0; }
  `;
  const flipLast = (file: string): void => {
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };

  const DAMAGED: readonly (readonly [name: string, file: string, damage: (file: string) => void, said: RegExp])[] = [
    ['rule tables cut short', 'rules.tables', (file) => truncateSync(file, 4096), /rules\.tables.*digest/],
    ['rule tables with one bit changed', 'rules.tables', flipLast, /rules\.tables.*digest/],
    ['another file for the rule tables', 'rules.tables', (file) => writeFileSync(file, '{}'), /rules\.tables/],
    ['no rule tables', 'rules.tables', (file) => rmSync(file), /rules\.tables/],
    ['a prefilter cut short', 'prefilter.wasm', (file) => truncateSync(file, 64), /scan thread cannot start/],
    ['a prefilter without its functions', 'prefilter.wasm', emptyModule, /scan thread cannot start/],
    ['a prefilter that sees nothing', 'prefilter.wasm', (file) => compileModule(BLIND, file), /self-test/],
    ['no prefilter', 'prefilter.wasm', (file) => rmSync(file), /scan thread cannot start/],
    ['no file for the threads', 'scan-worker.cjs', (file) => rmSync(file), /scan thread/],
  ];

  it('is refused before any call when a file of the package is damaged, naming what is wrong', async () => {
    await atOnce(DAMAGED, async ([name, file, damage, said]) => {
      const install = makeTestFolder();
      try {
        cpSync(join(projectFolder, 'dist'), join(install, 'dist'), { recursive: true });
        for (const kept of ['config', 'node_modules', 'package.json']) {
          symlinkSync(join(projectFolder, kept), join(install, kept));
        }
        damage(join(install, 'dist', file));
        const program = join(install, 'dist/cli.js');
        const ran = await runColdseal(['review', '--json'], { folder: repository.folder, home: world.home, program });
        expect(ran.exit, name).toBe(2);
        const document = JSON.parse(ran.stdout) as { readonly message: string };
        expect(document, name).toMatchObject({ outcome: 'refused', code: 'SCANNER_DEGRADED' });
        expect(document.message, name).toMatch(said);
      } finally {
        rmSync(install, { recursive: true, force: true });
      }
    });
    expect(world.sandbox.connections()).toBe(0);
  }, 600_000);
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
