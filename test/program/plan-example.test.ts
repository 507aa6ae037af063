/** The example of the README: what `intent audit --plan` prints of the made repository, and that what it says to do works. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRecordRepository, type RecordRepository } from '../support/make-record-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';
import { projectFolder } from '../support/run-coldseal.js';

let world: ProgramWorld;
let repository: RecordRepository;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRecordRepository();
});
afterAll(async () => {
  await world.close();
  repository.close();
});

/** Digests change with every word of the compiled definition and rubric, so they are shortened in the README. */
const shortened = (text: string): string => text.replace(/sha256:([0-9a-f]{12})[0-9a-f]{52}/g, 'sha256:$1…');
const withoutDigests = (text: string): string => text.replace(/sha256:[0-9a-f]{12}…/g, 'sha256:…');

it('is printed as the README shows it, and the printed approval sends exactly that', async () => {
  const example = makeProgramHome({
    oracle: {
      api: { example: { base_url: 'https://api.example.com/v1', models: ['large-1'] } },
      roles: { 'intent-auditor': 'example/large-1' },
      bundled_context_providers: ['example'],
    },
  });
  try {
    const plan = await example.run(repository.folder, ['intent', 'audit', 'itd-7', '--plan']);
    expect(plan.exit).toBe(0);
    const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8');
    const [, shown = ''] = /^\$ coldseal intent audit itd-7 --plan\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    expect(withoutDigests(shown)).toBe(withoutDigests(shortened(plan.stdout)));
  } finally {
    example.remove();
  }
  const { oracle, coldseal } = world.fragment();
  world.writeMachine({ oracle: { ...oracle, roles: { 'intent-auditor': 'sandbox/summary-1' } }, coldseal });
  const plan = await world.run(repository.folder, ['intent', 'audit', 'itd-7', '--plan']);
  const [, approval = ''] =
    /^send it {4}the same command with --expect (sha256:[0-9a-f]{64}) in place of --plan$/m.exec(plan.stdout) ?? [];
  const sent = await world.runJson(repository.folder, ['intent', 'audit', 'itd-7', '--expect', approval]);
  expect(sent.ended).toBe('0 sent');
});
