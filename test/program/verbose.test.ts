/** `-v`: why a run goes where it goes and what is in force, each with its place; names and sizes, never a text. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const TEXT = 'a sentence of the item';
const QUESTION = 'where does the sentence stand';

let world: ProgramWorld;
let repository: MadeRepository;
let root: string;
let head: string;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRepository();
  root = repository.commit('first', { 'a.txt': 'a\n' });
  head = repository.commit('second', { 'a.txt': `${TEXT}\n` });
  const { oracle, coldseal } = world.fragment();
  const kinds = { source_question: ['path:a.txt'] };
  const bundles = { cap: '1 MiB', withhold: ['*.lock'], projects: { [root]: { kinds } } };
  const roles = { 'change-reviewer': 'sandbox/summary-1', 'source-reader': 'sandbox/summary-1' };
  const settings = { oracle: { ...oracle, roles, bundles }, coldseal };
  writeFileSync(world.machineFile, JSON.stringify(settings, null, 2), { mode: 0o600 });
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const said = async (words: readonly string[], folder = repository.folder): Promise<readonly string[]> => {
  const ran = await world.run(folder, words);
  expect(ran.exit, ran.stderr).toBe(0);
  return ran.stderr.replaceAll(world.machineFile, 'FILE').split('\n');
};

it('explains a send with full names, each setting with its line, sizes and durations', async () => {
  const lines = await said(['review', '-v']);
  const due = [
    /^coldseal: settings: FILE \(machine file\), values \d+$/,
    /^coldseal: settings: no repository file$/,
    /^coldseal: route: change-reviewer=sandbox\/summary-1 \(oracle\.roles\.change-reviewer, FILE:\d+\)$/,
    /^coldseal: provider: sandbox, https:\/\/\S+, is remote: it gets a bundle$/,
    new RegExp(`^coldseal: project: ${root}, with an entry in the machine file$`),
    /^coldseal: cap: 1048576 bytes \(machine; oracle\.bundles\.cap, FILE:\d+\)$/,
    /^coldseal: list: change_review, compiled: diff, changed_files$/,
    /^coldseal: withhold: the compiled names and \*\.lock$/,
    new RegExp(`^coldseal: range: ${root}\\.\\.${head}$`),
    /^coldseal: plan: 2 items, [\d,]+ bytes raw as far as known, the cap is 1,048,576 bytes$/,
    /^coldseal: scanner: families secret, identity, private; owner’s rules 0; threads \d+; rules sha256:[0-9a-f]{64}$/,
    /^coldseal: scan: took /,
    /^coldseal: sealed: 2 items, [\d,]+ bytes; scanned [\d,]+ bytes with \d+ findings? in /,
    /^coldseal: answered after /,
  ];
  for (const pattern of due)
    expect(
      lines.filter((line) => pattern.test(line)),
      String(pattern),
    ).toHaveLength(1);
  expect(lines.join('\n')).not.toContain(TEXT);
});

it('names the line of an owner’s list, and no word of a question', async () => {
  const lines = await said(['ask', QUESTION, '--plan', '-v']);
  const list = new RegExp(`^coldseal: list: source_question, owner \\(.*${root}.*, FILE:\\d+\\): path:a\\.txt$`);
  expect(lines.filter((line) => list.test(line))).toHaveLength(1);
  expect(lines.join('\n')).not.toMatch(new RegExp(`${TEXT}|${QUESTION}`));
});

it('says that nobody named a route', async () => {
  const words = ['intent', 'consistency', '--plan', '-v'];
  expect((await said(words)).join('\n')).toContain('coldseal: route: intent-auditor has none, neither typed nor in');
});

it('says nothing more without -v', async () => {
  const lines = await said(['review', '--plan']);
  expect(lines.filter((line) => /^coldseal: (?:settings|route|list|plan|scan):/.test(line))).toEqual([]);
});
