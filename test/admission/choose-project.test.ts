import { describe, expect, it } from 'vitest';
import { chooseCap, chooseList, chooseWithhold } from '../../src/admission/choose-bundle-limits.js';
import { chooseProject } from '../../src/admission/choose-project.js';
import type { Settings } from '../../src/contract/settings.js';
import { refusalIn, settingsOf } from './made-settings.js';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const C = 'c'.repeat(64);

const withProjects = (projects: unknown, more: object = {}): Promise<Settings> =>
  settingsOf({ oracle: { bundles: { ...more, projects } } });

describe('the project of a repository', () => {
  it.each<[what: string, projects: unknown, roots: readonly string[], key: string | null, capBytes: number | null]>([
    ['no commit', { [A]: { cap: 5 } }, [], null, null],
    ['one root without an entry', { [A]: { cap: 5 } }, [B], B, null],
    ['one root with an entry', { [A]: { cap: 5 } }, [A], A, 5],
    ['two roots, one with an entry', { [B]: { cap: 5 } }, [A, B], B, 5],
    ['two roots in another order', { [B]: { cap: 5 } }, [B, A], B, 5],
    ['two roots without entries', {}, [B, A], A, null],
    [
      'two roots with equal entries',
      { [A]: { cap: 5, withhold: ['x'] }, [B]: { withhold: ['x'], cap: 5 } },
      [B, A],
      A,
      5,
    ],
    ['a SHA-256 root', { [C]: { cap: 5 } }, [C], C, 5],
  ])('with %s', async (_what, projects, roots, key, capBytes) => {
    const chosen = chooseProject({ roots, shallow: false, settings: await withProjects(projects) });
    expect([chosen.key, chosen.entry?.capBytes ?? null]).toEqual([key, capBytes]);
  });

  it('is ambiguous with two roots and different entries, both named', async () => {
    const settings = await withProjects({ [A]: { cap: 5 }, [B]: { cap: 6 } });
    const refusal = refusalIn(() => chooseProject({ roots: [A, B], shallow: false, settings }));
    expect(refusal.code).toBe('PROJECT_AMBIGUOUS');
    expect(refusal.message).toContain(A);
    expect(refusal.message).toContain(B);
  });

  it('cannot be told in a shallow clone, which matters once any project has an entry', async () => {
    const settings = await withProjects({ [A]: {} });
    const refusal = refusalIn(() => chooseProject({ roots: [], shallow: true, settings }));
    expect(refusal.code).toBe('PROJECT_AMBIGUOUS');
    expect(refusal.message).toContain('git fetch --unshallow');
    const none = await withProjects({});
    expect(chooseProject({ roots: [], shallow: true, settings: none })).toEqual({ key: null, entry: null });
  });
});

describe('cap, list and withheld globs', () => {
  it.each<[what: string, bundles: object, roots: readonly string[], cap: unknown]>([
    ['the default', {}, [A], { bytes: 4_194_304, origin: 'default', key: `oracle.bundles.projects.${A}.cap` }],
    [
      'the machine’s',
      { cap: '1 KiB' },
      [A],
      { bytes: 1024, origin: 'machine', key: `oracle.bundles.projects.${A}.cap` },
    ],
    [
      'the project’s',
      { cap: 9, projects: { [A]: { cap: 7 } } },
      [A],
      { bytes: 7, origin: 'project', key: `oracle.bundles.projects.${A}.cap` },
    ],
    ['the machine’s without a commit', { cap: 9 }, [], { bytes: 9, origin: 'machine', key: 'oracle.bundles.cap' }],
    ['the default without a commit', {}, [], { bytes: 4_194_304, origin: 'default', key: 'oracle.bundles.cap' }],
  ])('take %s cap, with the one key that raises it here', async (_what, bundles, roots, cap) => {
    const settings = await settingsOf({ oracle: { bundles } });
    const project = chooseProject({ roots, shallow: false, settings });
    expect(chooseCap(settings.bundles, project)).toEqual(cap);
  });

  it('take the owner’s list for its kind and project alone', async () => {
    const settings = await withProjects({ [A]: { kinds: { change_review: ['path:a', 'diff'] } } });
    const mine = chooseProject({ roots: [A], shallow: false, settings });
    const other = chooseProject({ roots: [B], shallow: false, settings });
    expect(chooseList('change_review', mine)).toEqual({
      entries: [
        { kind: 'path', glob: 'a' },
        { kind: 'input', input: 'diff' },
      ],
      origin: 'owner',
    });
    const compiled = {
      entries: [
        { kind: 'input', input: 'diff' },
        { kind: 'input', input: 'changed_files' },
      ],
      origin: 'compiled',
    };
    expect(chooseList('change_review', other)).toEqual(compiled);
    expect(chooseList('source_question', mine).origin).toBe('compiled');
  });

  it('add the project’s withheld globs to the machine’s', async () => {
    const settings = await withProjects({ [A]: { withhold: ['b'] } }, { withhold: ['a'] });
    const project = chooseProject({ roots: [A], shallow: false, settings });
    expect(chooseWithhold(settings.bundles, project)).toEqual(['a', 'b']);
  });
});
