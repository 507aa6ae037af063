/** `coldseal.augmenter`: an external scanner of the owner's adds to every scan, and where it may not be trusted nothing leaves. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FINDS, makeAugmenter } from '../support/made-augmenter.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

/** No rule of ours finds it. */
const WORD = 'plain-word-that-only-the-owner-minds';

let world: ProgramWorld;
let repository: MadeRepository;
let folder: string;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
  repository.commit('second', { 'a.txt': `one\ntwo ${WORD} three\n`, [`${WORD}.txt`]: 'b\n' });
});
afterAll(async () => {
  await world.close();
  repository.close();
});
beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const useAugmenter = (path: string): void => {
  const { oracle, coldseal } = world.fragment();
  world.writeMachine({ oracle, coldseal: { ...coldseal, augmenter: { path } } });
};

describe('an external scanner of the owner’s', () => {
  it('blanks what it finds in a send, names included, and its finding is recorded by its rule', async () => {
    useAugmenter(makeAugmenter(folder, FINDS(WORD)));
    const sent = await world.runJson(repository.folder, ['review']);
    expect(sent.ended).toBe('0 sent');
    expect(world.message()).not.toContain(WORD);
    expect(world.message()).toContain('two [blanked token:augmenter #1] three');
    expect(JSON.stringify(sent.document)).toContain('augmenter.made-up');
    expect(JSON.stringify(world.rows())).not.toContain(WORD);
    const again = await world.run(repository.folder, ['records', 'verify', 'last']);
    expect(again.stdout).toMatch(/^bundle: same$/m);
  });

  it('adds to a scan', async () => {
    useAugmenter(makeAugmenter(folder, FINDS(WORD)));
    const scan = await world.run(repository.folder, ['scan']);
    expect(scan.stdout).toMatch(/^a\.txt:2:5: augmenter\.made-up token:augmenter$/m);
    expect(scan.stdout).not.toMatch(new RegExp(`:.*${WORD}`));
  });

  it('is a note where it is not there', async () => {
    useAugmenter(join(folder, 'gone'));
    const ran = await world.run(repository.folder, ['review', '--plan']);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain(`coldseal: the augmenter ${join(folder, 'gone')} is not there; scanned without it\n`);
  });

  it.each([
    ['answers nonsense', "say('nonsense');"],
    ['fails', 'process.exit(2);'],
  ])('that %s refuses the send before any connection', async (_what, body) => {
    const before = world.sandbox.connections();
    useAugmenter(makeAugmenter(folder, body));
    const sent = await world.runJson(repository.folder, ['review']);
    expect(sent.ended).toMatch(/^2 refused SCANNER_DEGRADED The augmenter /);
    expect(world.sandbox.connections()).toBe(before);
    const doctor = await world.run(repository.folder, ['doctor', '--json']);
    expect([doctor.exit, doctor.stdout]).toEqual([2, expect.stringContaining('"check":"augmenter","state":"fail"')]);
  });

  it.each<[what: string, plant: () => string, said: RegExp]>([
    ['that its group may write', () => makeGroupWritable(), /can be written by others/],
    ['that is not executable', () => makeAugmenter(folder, FINDS(WORD), 0o644), /is not executable/],
    ['that is a folder', () => folder, /is no regular file/],
    ['inside the checkout', () => makeAugmenter(repository.folder, FINDS(WORD)), /stands inside a repository/],
    [
      'that is a link into the checkout',
      () => linkTo(makeAugmenter(repository.folder, FINDS(WORD))),
      /stands inside a repository/,
    ],
    ['in a folder that everybody may write', () => makeOpen(), /everybody can write/],
  ])('is refused %s', async (_what, plant, said) => {
    useAugmenter(plant());
    const sent = await world.runJson(repository.folder, ['review', '--plan']);
    rmSync(join(repository.folder, 'scanner'), { force: true });
    expect(sent.ended).toMatch(/^2 refused CONFIG_UNSAFE /);
    expect(sent.document.message).toMatch(said);
  });

  it('is named by an absolute path', async () => {
    useAugmenter('bin/gitleaks');
    const ran = await world.run(repository.folder, ['config', 'check']);
    expect([ran.exit, ran.stderr]).toEqual([
      2,
      expect.stringContaining('coldseal.augmenter.path must be an absolute path'),
    ]);
  });

  it('that is sound is found so by doctor', async () => {
    const program = makeAugmenter(folder, FINDS(WORD));
    useAugmenter(program);
    const { stdout } = await world.run(repository.folder, ['doctor']);
    expect(stdout).toMatch(new RegExp(`^ok {4}augmenter +${program} answers$`, 'm'));
  });
});

const makeGroupWritable = (): string => {
  const program = makeAugmenter(folder, FINDS(WORD));
  chmodSync(program, 0o775);
  return program;
};

const linkTo = (program: string): string => {
  symlinkSync(program, join(folder, 'link'));
  return join(folder, 'link');
};

const makeOpen = (): string => {
  mkdirSync(join(folder, 'open'));
  chmodSync(join(folder, 'open'), 0o777);
  return makeAugmenter(join(folder, 'open'), FINDS(WORD));
};
