/** The key that names a project to the owner's settings, in every shape of repository, as the program tells it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import { addRoot, openRepositoryShapes } from '../support/repository-shapes.js';

let world: ProgramWorld;
let repository: MadeRepository;
let root: string;
const shapes = openRepositoryShapes();

beforeAll(async () => {
  world = await openProgramWorld();
  repository = shapes.filled();
  root = repository.git(['rev-list', '--max-parents=0', 'HEAD']);
});
afterAll(async () => {
  await world.close();
  shapes.close();
});

describe('a project’s key, as `config show --json` tells it', () => {
  const projectOf = async (folder: string) => {
    const ran = await world.run(folder, ['config', 'show', '--json']);
    expect([ran.exit, ran.stderr.includes('refused')]).toEqual([0, false]);
    return (JSON.parse(ran.stdout) as { project: { project: string | null; roots: string[]; shallow: boolean } | null })
      .project;
  };

  it('is the root commit’s full name in every shape of repository, and absent where there is none', async () => {
    world.writeMachine(world.fragment());
    const sha256 = shapes.filled({ objectFormat: 'sha256' });
    const sha256Root = sha256.git(['rev-list', '--max-parents=0', 'HEAD']);
    const bare = shapes.cloned(repository, '--bare');
    const linked = join(makeTestFolder(), 'linked');
    repository.git(['worktree', 'add', '-q', '--detach', linked]);
    const below = join(linked, 'deep/er');
    mkdirSync(below, { recursive: true });
    const empty = shapes.keep(makeRepository());
    const shallow = shapes.cloned(repository, '--depth=1');
    const two = shapes.filled();
    const roots = [...addRoot(two)].sort();
    // A graft and a replacement would give the second commit no parent: neither may choose the owner's entry.
    const grafted = shapes.cloned(repository);
    const head = repository.git(['rev-parse', 'HEAD']);
    writeFileSync(join(grafted.folder, '.git/info/grafts'), `${head}\n`);
    const replaced = shapes.cloned(repository);
    replaced.git(['replace', '--graft', head]);
    const none = makeTestFolder();
    const key = (project: string | null, all = project === null ? [] : [project]) => ({
      project,
      roots: all,
      shallow: false,
    });
    const cases: readonly (readonly [string, string, object | null])[] = [
      ['plain', repository.folder, key(root)],
      ['SHA-256', sha256.folder, key(sha256Root)],
      ['bare', bare.folder, key(root)],
      ['linked work tree', linked, key(root)],
      ['a folder below', below, key(root)],
      ['empty', empty.folder, key(null)],
      ['shallow', shallow.folder, { ...key(null), shallow: true }],
      ['two roots', two.folder, key(roots[0] ?? '', roots)],
      ['grafted', grafted.folder, key(root)],
      ['replaced', replaced.folder, key(root)],
      ['no repository', none, null],
    ];
    try {
      expect(replaced.git(['rev-list', '--max-parents=0', 'HEAD'])).toBe(head);
      await atOnce(cases, async ([name, folder, expected]) => {
        const found = await projectOf(folder);
        if (expected === null) expect(found, name).toBeNull();
        else expect(found, name).toMatchObject(expected);
      });
    } finally {
      rmSync(linked, { recursive: true, force: true });
      rmSync(none, { recursive: true, force: true });
    }
  });

  it('leads to the owner’s entry in a bare repository and a linked work tree; a bare one is sent from and never written into', async () => {
    const { oracle, coldseal } = world.fragment();
    world.writeMachine({ oracle: { ...oracle, bundles: { projects: { [root]: { cap: '2MiB' } } } }, coldseal });
    const bare = shapes.cloned(repository, '--bare');
    const sent = await world.runJson(bare.folder, ['review']);
    expect(sent.ended).toBe('0 sent');
    expect(sent.document).toMatchObject({ bundle: { cap: 2097152, cap_origin: 'project', project: root } });
    expect(sent.document.answer?.path).toBeUndefined();
    const host = await world.runJson(bare.folder, ['review', '--route', 'change-reviewer=host-decides']);
    expect(host.ended).toMatch(/^2 refused STATE_UNSAFE /);
    const empty = await world.runJson(shapes.keep(makeRepository()).folder, ['review']);
    expect(empty.ended).toMatch(/^2 refused NO_RANGE .*no commit yet/);
  });
});
