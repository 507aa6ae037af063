/** Rule 15: histories, settings and folders that could mislead, each with a refusal of its own. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import { addRoot, openRepositoryShapes } from '../support/repository-shapes.js';
import { runColdseal } from '../support/run-coldseal.js';

let world: ProgramWorld;
let repository: MadeRepository;
let root: string;
const shapes = openRepositoryShapes();

const machineWith = (projects: Readonly<Record<string, object>>) => {
  const { oracle, coldseal } = world.fragment();
  return { oracle: { ...oracle, bundles: { projects } }, coldseal };
};
beforeAll(async () => {
  world = await openProgramWorld();
  repository = shapes.filled();
  root = repository.git(['rev-list', '--max-parents=0', 'HEAD']);
});
afterAll(async () => {
  await world.close();
  shapes.close();
});

/** A refusal in a home of its own: exit 2, the code, nothing sent. */
const refused = async (folder: string, settings: unknown, code: string, words = ['review']): Promise<string> => {
  const home = makeProgramHome(settings);
  try {
    const ran = await home.run(folder, words);
    expect([ran.exit, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(`refused (${code}): `);
    expect(home.rows().map((row) => row['code'])).toEqual(code.startsWith('CONFIG') ? [] : [code]);
    return ran.stderr.replaceAll(home.machineFile, 'MACHINE FILE');
  } finally {
    home.remove();
  }
};

describe('rule 15: what could mislead is refused', () => {
  it('two roots with different entries are ambiguous, naming both; equal entries are one', async () => {
    const two = shapes.filled();
    const [first, second] = addRoot(two);
    const message = await refused(
      two.folder,
      machineWith({ [first]: { cap: 1000 }, [second]: { cap: 2000 } }),
      'PROJECT_AMBIGUOUS',
    );
    for (const named of [first, second, 'MACHINE FILE']) expect(message).toContain(named);
    world.writeMachine(machineWith({ [first]: { cap: '1MiB' }, [second]: { cap: 1048576 } }));
    const equal = await world.runJson(two.folder, ['review', '--plan']);
    expect(equal.document.bundle).toMatchObject({
      cap: 1048576,
      cap_origin: 'project',
      project: [first, second].sort()[0],
    });
    world.writeMachine(machineWith({ [second]: { cap: '3MiB' } }));
    const one = await world.runJson(two.folder, ['review', '--plan']);
    expect(one.document.bundle).toMatchObject({ cap: 3145728, project: second });
  });

  it('a shallow clone is refused while any project has an entry, with the way out, and takes the defaults else', async () => {
    const longer = shapes.filled();
    longer.commit('third', { 'a.txt': 'c\n' });
    const shallow = shapes.cloned(longer, '--depth=2');
    const message = await refused(shallow.folder, machineWith({ ['f'.repeat(40)]: { cap: 1 } }), 'PROJECT_AMBIGUOUS');
    expect(message).toContain('git fetch --unshallow');
    world.writeMachine(world.fragment());
    const plan = await world.runJson(shallow.folder, ['review', '--plan']);
    expect(plan.ended).toBe('0 planned');
    expect(plan.document.bundle).toMatchObject({ project: null, cap_origin: 'default' });
  });

  it('an abbreviated, upper-case or overlong project key refuses the read, naming it', async () => {
    for (const key of [root.slice(0, 12), root.toUpperCase(), `${root}0`, '', 'HEAD']) {
      const message = await refused(repository.folder, machineWith({ [key]: { cap: 1 } }), 'CONFIG_INVALID');
      expect(message).toContain(`oracle.bundles.projects.${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}`);
      expect(message).toContain('40 or 64');
    }
  });

  it('a machine folder inside the work tree that is read, or tracked by any repository, is unsafe', async () => {
    const inside = shapes.filled();
    mkdirSync(join(inside.folder, '.abcd.noindex'), { mode: 0o700 });
    writeFileSync(join(inside.folder, '.abcd.noindex/config.json'), JSON.stringify(world.fragment()), { mode: 0o600 });
    const within = await runColdseal(['review'], { folder: inside.folder, home: inside.folder });
    expect([within.exit, within.stdout]).toEqual([2, '']);
    expect(within.stderr).toMatch(/refused \(CONFIG_UNSAFE\): The machine folder .* stands inside the work tree/);
    // What the checkout says of itself must not open its folder to the owner's settings.
    inside.git(['config', 'core.bare', 'true']);
    const bare = await runColdseal(['review'], { folder: inside.folder, home: inside.folder });
    expect([bare.exit, bare.stdout, bare.stderr]).toEqual([2, '', within.stderr]);
    inside.git(['config', 'core.bare', 'false']);
    inside.git(['add', '-f', '.abcd.noindex/config.json']);
    const tracked = await runColdseal(['review'], { folder: repository.folder, home: inside.folder });
    expect([tracked.exit, tracked.stdout]).toEqual([2, '']);
    expect(tracked.stderr).toMatch(/refused \(CONFIG_UNSAFE\): The machine folder .* is tracked by a git repository/);
    inside.git(['config', 'core.bare', 'true']);
    const hidden = await runColdseal(['review'], { folder: repository.folder, home: inside.folder });
    expect([hidden.exit, hidden.stderr]).toEqual([2, tracked.stderr]);
  });

  it('a symbolic link in the way to the request files, and a tracked state folder, are unsafe for host and answer', async () => {
    const host = ['review', '--route', 'change-reviewer=host-decides'];
    const outside = makeTestFolder();
    try {
      const cases: readonly (readonly [string, (one: MadeRepository) => void, RegExp])[] = [
        ['.abcd', (one) => symlinkSync(outside, join(one.folder, '.abcd')), /symbolic link/],
        [
          '.abcd/.work.local',
          (one) => one.link('.abcd/.work.local', outside),
          /\.abcd\/\.work\.local is a symbolic link/,
        ],
        ['reviews', (one) => one.link('.abcd/.work.local/reviews', outside), /reviews is a symbolic link/],
        ['tracked', (one) => one.commit('state', { '.abcd/.work.local/x': 'x\n' }), /git tracks \.abcd\/\.work\.local/],
        ['a file', (one) => one.write('.abcd/.work.local', 'x'), /\.abcd\/\.work\.local is no directory/],
      ];
      await atOnce(cases, async ([name, plant, said]) => {
        const one = shapes.filled();
        plant(one);
        const code = name === '.abcd' ? 'CONFIG_UNSAFE' : 'STATE_UNSAFE';
        expect(await refused(one.folder, world.fragment(), code, host), name).toMatch(said);
        const connections = world.sandbox.connections();
        expect(await refused(one.folder, world.fragment(), code), name).toMatch(said);
        expect(world.sandbox.connections()).toBe(connections);
      });
      expect(readdirSync(outside)).toEqual([]);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});
