/** Rule 14: withheld paths never travel, in the diff either and under no other name, unless the owner names the file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobText, diffText, type ExpectedItem, expectedFrame } from '../support/expected-frame.js';
import { INTENTS, ISSUES, makeRecordRepository, type RecordRepository } from '../support/make-record-repository.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

let world: ProgramWorld;
let repository: MadeRepository;
let root: string;
let head: string;

/** No rule knows these words, so only the path can keep them in. */
const PRIVATE = [
  'quiet words of the old env',
  'quiet words of the new env',
  'quiet words of the key',
  'quiet words of a moved key',
];

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  root = repository.commit('first', {
    '.env': `A=${PRIVATE[0]}\n`,
    'keys/id_rsa': `${PRIVATE[3]}\n`,
    'a.txt': 'a\n',
  });
  repository.remove('keys/id_rsa');
  head = repository.commit('second', {
    '.env': `A=${PRIVATE[1]}\n`,
    '.env.example': 'A=\n',
    'Config/.ENV.local': `A=${PRIVATE[1]} too\n`,
    'docs/notes.txt': `${PRIVATE[3]}\n`,
    id_rsa: `${PRIVATE[2]}\n`,
    'own/secret.lock': `${PRIVATE[2]} in a lock\n`,
    'a.txt': 'b\n',
  });
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const machineWith = (bundles: object) => {
  const { oracle, coldseal } = world.fragment();
  return { oracle: { ...oracle, bundles }, coldseal };
};

/** The whole diff with the sections of these paths replaced by their line. */
const diffWithout = (withheld: readonly string[]): string =>
  diffText(repository.folder, root, head)
    .split(/^(?=diff --git )/m)
    .map((section) => {
      const path = withheld.find((name) => section.startsWith(`diff --git a/${name} b/${name}\n`));
      return path === undefined ? section : `withheld: ${path}\n`;
    })
    .join('');

const item = (path: string, withheld: readonly string[]): ExpectedItem => ({
  input: 'changed_files',
  name: path,
  text: withheld.includes(path) ? `withheld: ${path}\n` : blobText(repository.folder, head, path),
});

const CHANGED = ['.env', '.env.example', 'Config/.ENV.local', 'a.txt', 'docs/notes.txt', 'id_rsa', 'own/secret.lock'];
const COMPILED = ['.env', 'Config/.ENV.local', 'docs/notes.txt', 'id_rsa'];

describe('rule 14: a withheld path', () => {
  it('never travels, in the diff either, on both sides of a move; it is counted on stderr and in the record', async () => {
    world.writeMachine(machineWith({ withhold: ['*.lock'] }));
    const { ended, document } = await world.runJson(repository.folder, ['review']);
    expect(ended).toBe('0 sent');
    const withheld = [...COMPILED, 'own/secret.lock'];
    const diff: ExpectedItem = {
      input: 'diff',
      name: `${root}..${head}`,
      text: diffWithout([...withheld, 'keys/id_rsa']),
    };
    expect(world.message()).toBe(
      expectedFrame([diff, ...CHANGED.map((path) => item(path, withheld))], { withheld: 5 }),
    );
    for (const words of PRIVATE) expect(world.sandbox.requests().at(-1)?.body?.includes(words)).toBe(false);
    expect(document.bundle?.items.filter(({ omitted }) => omitted === 'withheld').map(({ path }) => path)).toEqual(
      withheld,
    );
    const start = world.rows().findLast(({ event }) => event === 'start') as unknown as {
      bundle: { items: { path: string; omitted: string | null }[] };
    };
    expect(start.bundle.items.filter(({ omitted }) => omitted === 'withheld').map(({ path }) => path)).toEqual(
      withheld,
    );
    const text = await world.run(repository.folder, ['review']);
    expect(text.stderr).toMatch(/not shown to the reader: 5 withheld, 0 binary, 1 deleted/);
  });

  it('is admitted for one project by its exact name in that project’s list, and by no glob', async () => {
    const list = (...entries: string[]) =>
      machineWith({ projects: { [root]: { kinds: { change_review: [...entries, 'changed_files'] } } } });
    world.writeMachine(list('path:.env'));
    const admitted = await world.runJson(repository.folder, ['review']);
    expect(admitted.ended).toBe('0 sent');
    const others = COMPILED.filter((path) => path !== '.env');
    const rest = CHANGED.filter((path) => path !== '.env');
    expect(world.message()).toBe(
      expectedFrame([{ ...item('.env', []), input: 'path' }, ...rest.map((path) => item(path, others))], {
        withheld: 3,
      }),
    );
    world.writeMachine(list('path:.e*', 'path:**/id_rsa'));
    const globbed = await world.runJson(repository.folder, ['review', '--plan']);
    expect(
      globbed.document.bundle?.items.filter(({ omitted }) => omitted === 'withheld').map(({ path }) => path),
    ).toEqual(['.env', 'id_rsa', 'Config/.ENV.local', 'docs/notes.txt']);
  });

  it('that the owner withholds cannot be admitted by a list: withholding only narrows', async () => {
    world.writeMachine(
      machineWith({ withhold: ['a.txt'], projects: { [root]: { kinds: { change_review: ['path:a.txt'] } } } }),
    );
    expect((await world.runJson(repository.folder, ['review'])).ended).toBe('0 sent');
    expect(world.message()).toBe(
      expectedFrame([{ input: 'path', name: 'a.txt', text: 'withheld: a.txt\n' }], { withheld: 1 }),
    );
  });
});

describe('rule 14: a withheld record', () => {
  const HIDDEN = 'Faster now.';
  const ISSUE = `${ISSUES}/resolved/iss-5-slow.md`;
  const INTENT = `${INTENTS}/planned/itd-9-next.md`;
  let records: RecordRepository;

  beforeAll(() => {
    records = makeRecordRepository();
    const agents = ['intent-auditor', 'release-changelog-composer'];
    const { oracle, coldseal } = machineWith({ withhold: [ISSUE, INTENT, 'itd-7-*'] });
    const roles = Object.fromEntries(agents.map((agent) => [agent, 'sandbox/summary-1']));
    world.writeMachine({ oracle: { ...oracle, roles }, coldseal });
  });
  afterAll(() => records.close());

  it('is named in the cut and quoted nowhere: no title, no summary, no impact', async () => {
    const { ended } = await world.runJson(records.folder, ['release', 'changelog', '--from', 'v0.3.1']);
    expect(ended).toBe('0 sent');
    const message = world.message();
    for (const words of [HIDDEN, '"Slow"', 'internal', 'Send safely', 'Files leave blanked']) {
      expect(message).not.toContain(words);
    }
    const cut = JSON.parse(/^\{\n[\s\S]*?^\}\n/m.exec(message)?.[0] ?? '{}') as { added: object[] };
    expect(cut).not.toHaveProperty('next_tag');
    expect(cut.added).toContainEqual({
      id: 'iss-5',
      path: ISSUE,
      impact: null,
      title: 'iss-5',
      summary: `withheld: ${ISSUE}`,
      in_changelog: true,
      in_press_release: false,
    });
    expect(message.match(new RegExp(`^withheld: ${ISSUE}$`, 'gm'))).toHaveLength(1);
  });

  it('adds nothing to a corpus, its hash included, and cannot be audited', async () => {
    const asked = ['intent', 'consistency'];
    expect((await world.runJson(records.folder, asked)).ended).toBe('0 sent');
    const [request, before] = [world.message(), /corpus_hash: (\S+)/.exec(world.message())?.[1]];
    expect(request).not.toContain('One at a time.');
    records.commit('another rule', { [INTENT]: '# Next\n\n## The Rule\n\nTwo at a time.\n' });
    expect((await world.runJson(records.folder, asked)).ended).toBe('0 sent');
    expect(/corpus_hash: (\S+)/.exec(world.message())?.[1]).toBe(before);
    const audit = await world.runJson(records.folder, ['intent', 'audit', 'itd-7', '--plan']);
    expect(audit.ended).toMatch(/^2 refused INPUT_MISSING .*itd-7-send-safely\.md is withheld/);
    expect(audit.document.message).toContain('--route intent-auditor=host-decides');
  });
});
