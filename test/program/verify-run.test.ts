/** `records verify ID`: a recorded bundle made again from the repository, whatever came after it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { makeRecordRepository, type RecordRepository } from '../support/make-record-repository.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const TOKEN = expandExample('{github:ghp}', 'verify-run');

let world: ProgramWorld;
let repository: MadeRepository;
let records: RecordRepository;
let root: string;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  root = repository.commit('first', { 'a.txt': 'a\n', 'b.lock': 'b\n' });
  repository.commit('second', { 'a.txt': `key = ${TOKEN}\n`, 'b.lock': 'c\n' });
  records = makeRecordRepository();
});
afterAll(async () => {
  await world.close();
  repository.close();
  records.close();
});

const AGENTS = ['change-reviewer', 'source-reader', 'intent-auditor', 'release-changelog-composer'];
const settings = (more: Readonly<Record<string, unknown>> = {}): unknown => {
  const { oracle, coldseal } = world.fragment();
  const roles = Object.fromEntries(AGENTS.map((agent) => [agent, 'sandbox/summary-1']));
  return { oracle: { ...oracle, roles, ...more }, coldseal };
};
beforeEach(() => world.writeMachine(settings()));

interface Verified {
  readonly exit: number | null;
  readonly answer?: string;
  readonly what?: string;
  readonly notes?: readonly string[];
}
const verify = async (folder: string, id = 'last'): Promise<Verified> => {
  const ran = await world.run(folder, ['records', 'verify', id, '--json']);
  const { whole, bundle } = JSON.parse(ran.stdout) as { whole: boolean; bundle: Omit<Verified, 'exit'> };
  expect(whole, ran.stderr).toBe(true);
  return { exit: ran.exit, ...bundle };
};

describe('a bundle made again', () => {
  it('is the same, whatever was committed since, and with a cap that no longer holds it', async () => {
    const sent = await world.runJson(repository.folder, ['review']);
    expect(sent.ended).toBe('0 sent');
    repository.commit('later', { 'a.txt': 'quite another text\n' });
    world.writeMachine(settings({ bundles: { cap: 10 } }));
    expect(await verify(repository.folder, sent.document.record?.id)).toEqual({
      exit: 0,
      answer: 'same',
      recorded_digest: sent.document.bundle?.['digest'],
      rebuilt_digest: sent.document.bundle?.['digest'],
      notes: [],
    });
    const text = await world.run(repository.folder, ['records', 'verify', sent.document.record?.id ?? '']);
    expect(text.stdout).toMatch(/^whole: \d+ rows in 1 file, last hash \S+\nbundle: same\n$/);
  });

  it.each([
    ['an audit', ['intent', 'audit', 'itd-7', '--range', 'HEAD~1..HEAD']],
    ['a consistency review', ['intent', 'consistency']],
    ['a consistency review of one intent', ['intent', 'consistency', 'itd-7']],
    ['a changelog from a moving name', ['release', 'changelog', '--from', 'HEAD~1']],
  ])('is the same for %s', async (_what, words) => {
    const sent = await world.runJson(records.folder, words);
    expect(sent.document.bundle, sent.ended).toBeDefined();
    records.commit('later', {
      'src/send.ts': 'export const send = 9;\n',
      '.abcd/development/brief/99-later.md': '# Later\n',
    });
    try {
      expect(await verify(records.folder)).toMatchObject({ exit: 0, answer: 'same', notes: [] });
    } finally {
      records.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    }
  });

  it('differs where the owner withholds more now, and says which items do', async () => {
    await world.runJson(repository.folder, ['review', '--range', `${root}..HEAD`]);
    world.writeMachine(settings({ bundles: { withhold: ['*.lock'] } }));
    const { exit, answer, notes } = await verify(repository.folder);
    expect([exit, answer]).toEqual([2, 'differs']);
    expect(notes?.join('\n')).toMatch(/^itm-0003 changed_files b\.lock: \d+ bytes then, \d+ now$/m);
    expect(notes?.join('\n')).not.toContain(TOKEN);
  });
});

describe('a bundle that cannot be made again', () => {
  it('says what is not kept: a brief, a question', async () => {
    const brief = join(repository.folder, '..', `brief-${root.slice(0, 8)}.md`);
    writeFileSync(brief, 'look at it\n');
    try {
      await world.runJson(repository.folder, ['review', '--brief', brief]);
      expect(await verify(repository.folder)).toMatchObject({ exit: 2, what: 'the brief is not kept' });
    } finally {
      rmSync(brief);
    }
    const kinds = { source_question: ['path:a.txt'] };
    world.writeMachine(settings({ bundles: { projects: { [root]: { kinds } } } }));
    await world.runJson(repository.folder, ['ask', 'what is it?']);
    expect(await verify(repository.folder)).toMatchObject({ exit: 2, what: 'the question is not kept' });
  });

  it('says that a refused run had none', async () => {
    world.writeMachine(settings({ bundles: { cap: 1 } }));
    expect((await world.runJson(repository.folder, ['review'])).ended).toMatch(/^2 refused OVER_CAP/);
    expect(await verify(repository.folder)).toMatchObject({
      exit: 2,
      answer: 'cannot be rebuilt',
      what: 'the run (refused) has no bundle in the record',
    });
  });

  it('names another project, a commit and an object that are not there, and a folder that is no repository', async () => {
    const made = makeRepository();
    try {
      made.commit('only', { 'x.txt': 'x\n' });
      const head = made.commit('more', { 'x.txt': 'y\n' });
      const sent = await world.runJson(made.folder, ['review']);
      const id = sent.document.record?.id;
      expect((await verify(repository.folder, id)).what).toMatch(/^this repository has another root than the project /);
      expect((await verify(world.home, id)).what).toMatch(/^NOT_A_REPOSITORY: /);
      const blob = made.git(['rev-parse', `${head}:x.txt`]);
      rmSync(join(made.folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2)), { force: true });
      expect((await verify(made.folder, id)).what).toMatch(/^ITEM_UNREADABLE: /);
      made.git(['reset', '--quiet', '--soft', 'HEAD~1']);
      rmSync(join(made.folder, '.git', 'objects', head.slice(0, 2), head.slice(2)), { force: true });
      expect((await verify(made.folder, id)).what).toBe(`the commit ${head} is not in this repository`);
    } finally {
      made.close();
    }
  });

  it('is not asked about where the chain is broken', async () => {
    const file = (await world.runJson(repository.folder, ['review'])).document.record as { id: string; path: string };
    const before = await world.run(repository.folder, ['records', 'export']);
    writeFileSync(file.path, before.stdout.replace('"outcome":"sent"', '"outcome":"tent"'));
    const ran = await world.run(repository.folder, ['records', 'verify', file.id, '--json']);
    writeFileSync(file.path, before.stdout);
    expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([2, { whole: false, bundle: null }]);
  });
});
