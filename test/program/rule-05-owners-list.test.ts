/** Rule 5: the owner's list for one project, and `path:` globs that meet any name git can hold. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { blobText, diffText, type ExpectedItem, expectedFrame } from '../support/expected-frame.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

let world: ProgramWorld;
let project: MadeRepository;
let other: MadeRepository;
let root: string;

beforeAll(async () => {
  world = await openProgramWorld();
  project = makeRepository();
  root = project.commit('root of one project', { 'docs/guide.md': '# Guide\n', 'src/a.js': 'a\n' });
  project.commit('change', { 'src/a.js': 'b\n' });
  other = makeRepository();
  other.commit('root of another', { 'src/a.js': 'a\n', 'docs/guide.md': '# Other\n' });
  other.commit('change', { 'src/a.js': 'b\n' });
});
afterAll(async () => {
  await world.close();
  project.close();
  other.close();
});

const machineWith = (kinds: Readonly<Record<string, unknown>>, key = root) => {
  const { oracle, coldseal } = world.fragment();
  const roles = { 'change-reviewer': 'sandbox/summary-1', 'source-reader': 'sandbox/summary-1' };
  return { oracle: { ...oracle, roles, bundles: { projects: { [key]: { kinds } } } }, coldseal };
};

describe('rule 5: the owner’s list for one project', () => {
  it('changes that project’s bundle byte for byte, and another project keeps the default', async () => {
    world.writeMachine(machineWith({ change_review: ['path:docs/**', 'changed_files'] }));
    const file = (input: string, path: string): ExpectedItem => ({
      input,
      name: path,
      text: blobText(project.folder, 'HEAD', path),
    });
    const own = await world.runJson(project.folder, ['review']);
    expect(own.ended).toBe('0 sent');
    expect(own.document.bundle).toMatchObject({ list_origin: 'owner', project: root });
    expect(world.message()).toBe(expectedFrame([file('path', 'docs/guide.md'), file('changed_files', 'src/a.js')]));
    const theirs = await world.runJson(other.folder, ['review']);
    expect(theirs.ended).toBe('0 sent');
    expect(theirs.document.bundle).toMatchObject({ list_origin: 'compiled' });
    const [base = '', head = ''] = ['HEAD~1', 'HEAD'].map((name) => other.git(['rev-parse', name]));
    expect(world.message()).toBe(
      expectedFrame([
        { input: 'diff', name: `${base}..${head}`, text: diffText(other.folder, base, head) },
        { input: 'changed_files', name: 'src/a.js', text: 'b\n' },
      ]),
    );
  });

  it('refuses the configuration read for an entry that is neither an input of the kind nor a usable pattern', async () => {
    const REFUSED: readonly (readonly [string, readonly string[], string])[] = [
      ['change_review', ['request'], 'request'],
      ['change_review', ['diff', 'docs/**'], 'docs/**'],
      ['change_review', ['Diff'], 'Diff'],
      ['change_review', ['path:'], 'path:'],
      ['change_review', ['path:/etc/passwd'], 'path:/etc/passwd'],
      ['change_review', ['path:../up'], 'path:../up'],
      ['change_review', ['path:a\\b'], 'backslash'],
      ['change_review', ['diff', 'diff'], 'is "diff", which stands in the list a second time'],
      ['change_review', [], 'change_review'],
      ['source_question', ['diff'], 'diff'],
      ['reading', ['path:docs/**'], 'path:docs/**'],
      ['reading', ['items', 'items'], 'items'],
      ['no_such_kind', ['diff'], 'no_such_kind'],
    ];
    await atOnce(REFUSED, async ([kind, entries, named]) => {
      const home = makeProgramHome(machineWith({ [kind]: entries }));
      try {
        // The list stands under another project's key: a read is refused whatever project it is for.
        const ran = await home.run(other.folder, ['review', '--plan']);
        expect(ran.exit, `${kind} ${entries}`).toBe(2);
        expect(ran.stderr, `${kind} ${entries}`).toContain('refused (CONFIG_INVALID): ');
        expect(ran.stderr).toContain(`oracle.bundles.projects.${root}.kinds.${kind}`);
        expect(ran.stderr).toContain(named);
        expect(home.rows()).toEqual([]);
      } finally {
        home.remove();
      }
    });
  });

  it('is written by `list set`, which refuses what the read would refuse and leaves the file as it was', async () => {
    const home = makeProgramHome(world.fragment());
    try {
      const set = await home.run(project.folder, ['list', 'set', 'change_review', 'diff', 'path:docs/*.md']);
      expect([set.exit, set.stderr]).toEqual([0, expect.any(String)]);
      const shown = await home.run(project.folder, ['project', '--json']);
      expect(JSON.parse(shown.stdout).lists.change_review).toEqual({
        origin: 'owner',
        entries: ['diff', 'path:docs/*.md'],
      });
      const wrong = await home.run(project.folder, ['list', 'set', 'change_review', 'request']);
      expect(wrong.exit).toBe(2);
      expect(wrong.stderr).toContain('"request"');
      expect((await home.run(project.folder, ['project', '--json'])).stdout).toBe(shown.stdout);
    } finally {
      home.remove();
    }
  });
});

describe('rule 5: path globs and awkward names', () => {
  // Bytes as git keeps them, the name as it is shown, and a glob that meets this one and no other.
  const NAMES: readonly (readonly [string | Uint8Array, string, string])[] = [
    ['with space.txt', 'with space.txt', 'with space.txt'],
    ['br[a]cket{s}.txt', 'br[a]cket{s}.txt', 'br[a]cket{s}.txt'],
    ['quo"te\'.txt', 'quo"te\'.txt', 'quo"te\'.txt'],
    ['new\nline.txt', 'new\\nline.txt', 'new\nline.txt'],
    ['-dash.txt', '-dash.txt', '-dash.txt'],
    ['deep/-- --/x.txt', 'deep/-- --/x.txt', 'deep/-*/x.txt'],
    [Buffer.from([0x6f, 0xff, 0xfe, 0x2e, 0x62]), 'o\\xff\\xfe.b', 'o??.b'],
    ['Case.txt', 'Case.txt', 'Case.txt'],
    ['case.txt', 'case.txt', 'case.txt'],
    ['caf\u00e9.txt', 'caf\u00e9.txt', 'caf\u00e9.txt'],
    ['cafe\u0301.txt', 'cafe\u0301.txt', 'cafe\u0301.txt'],
    ['.dot/.hidden', '.dot/.hidden', '.dot/*'],
    ['star.txt', 'star.txt', 'st?r.txt'],
    ['turn\u202eed.txt', 'turn\\u202eed.txt', 'turn\u202eed.txt'],
  ];

  it('meet exactly the file they name, in the order of the list, and send its name in one line', async () => {
    const made = makeRepository();
    try {
      for (const [at, [path]] of NAMES.entries()) made.write(path, `file ${at}\n`);
      const key = made.commit('names');
      world.writeMachine(machineWith({ source_question: NAMES.map(([, , glob]) => `path:${glob}`) }, key));
      const { ended } = await world.runJson(made.folder, ['ask', 'What is in them?']);
      expect(ended).toBe('0 sent');
      const items = NAMES.map(([, name], at) => ({ input: 'path', name, text: `file ${at}\n` }));
      expect(world.message()).toBe(expectedFrame(items));
    } finally {
      made.close();
    }
  });

  it('that meet nothing are INPUT_MISSING, naming the glob and the command, and so is a question without files', async () => {
    const globs = ['CASE.TXT', 'src', 'src/*/a.js', 'docs?guide.md', '**/none'];
    await atOnce([...globs.map((glob) => [`path:${glob}`]), ['files']], async (entries) => {
      const home = makeProgramHome(machineWith({ source_question: entries }));
      try {
        const { ended, document } = await home.runJson(project.folder, ['ask', 'Why?', '--plan']);
        expect(ended, entries.join()).toMatch(/^2 refused INPUT_MISSING /);
        expect(document.message).toContain('coldseal list set source_question');
        if (entries[0] !== 'files') expect(document.message).toContain(entries[0]);
      } finally {
        home.remove();
      }
    });
  });
});
