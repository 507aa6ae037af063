/** Rules 3, 4 and 11: what each kind of the record tree carries, byte for byte, and that an audit needs a delivered range. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobText, diffText, type ExpectedItem, expectedBody, expectedFrame } from '../support/expected-frame.js';
import {
  BRIEF,
  CRITERIA,
  INTENTS,
  ISSUES,
  makeRecordRepository,
  type RecordRepository,
  SPECS,
} from '../support/make-record-repository.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

const SYSTEM = 'An owner’s own words: answer with one JSON document.\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let world: ProgramWorld;
let repository: RecordRepository;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRecordRepository();
  const { oracle, coldseal } = world.fragment();
  const roles = Object.fromEntries(
    ['intent-auditor', 'release-changelog-composer'].map((agent) => [agent, 'sandbox/summary-1']),
  );
  world.writeMachine({ oracle: { ...oracle, roles }, coldseal });
  for (const agent of Object.keys(roles)) world.writeAgent(agent, SYSTEM);
});
afterAll(async () => {
  await world.close();
  repository.close();
});

/** The request as the host gets it: the same document, composed from the work tree. */
const hostDocument = (name: string): string =>
  readFileSync(join(repository.folder, '.abcd/.work.local/reviews', name), 'utf8');

/** Sends, and compares the provider's received bytes with a body around exactly these items. */
const expectSent = async (words: readonly string[], items: readonly ExpectedItem[]) => {
  const { ended, document } = await world.runJson(repository.folder, words);
  expect(ended).toBe('0 sent');
  const body = world.sandbox.requests().at(-1)?.body?.toString('utf8');
  const expected = expectedBody({ model: 'summary-1', system: SYSTEM, message: expectedFrame(items) });
  expect(body).toBe(expected.toString('utf8'));
  const start = world.rows().findLast(({ event }) => event === 'start') as unknown as {
    bundle: { kind: string; items: { id: string; path: string | null; bytes: number; object_id: string | null }[] };
  };
  expect(start.bundle.kind).toBe(document.bundle?.kind);
  expect(start.bundle.items.map(({ id, bytes }) => [id, bytes])).toEqual(
    items.map(({ text }, at) => [`itm-000${at + 1}`, Buffer.byteLength(text)]),
  );
  return { document, start };
};

const file = (input: string, path: string): ExpectedItem => ({
  input,
  name: path,
  text: blobText(repository.folder, repository.head, path),
});

describe('rule 3: an admitted provider and an audit with a delivered range', () => {
  it('receives request, intent, specs, diff and changed files in that order, and the record names them all', async () => {
    const { folder, base, head } = repository;
    const receipt = `rcp-${sha256(`itd-7|spc-2|${sha256(CRITERIA)}`).slice(0, 12)}`;
    await world.run(folder, ['intent', 'audit', 'itd-7', '--route', 'intent-auditor=host-decides']);
    const request = hostDocument(`${receipt}.request.md`);
    const changed = [
      `${INTENTS}/shipped/itd-7-send-safely.md`,
      `${SPECS}/closed/spc-10-second.md`,
      `${SPECS}/closed/spc-2-first.md`,
      `${SPECS}/closed/spc-3-other.md`,
      `${SPECS}/open/spc-11-open.md`,
      `${ISSUES}/resolved/iss-5-slow.md`,
      'src/send.ts',
    ];
    const sent = [`${SPECS}/closed/spc-2-first.md`, `${SPECS}/closed/spc-10-second.md`];
    const { document, start } = await expectSent(
      ['intent', 'audit', 'itd-7'],
      [
        { input: 'request', name: receipt, text: request },
        file('intent', `${INTENTS}/shipped/itd-7-send-safely.md`),
        ...sent.map((path) => file('specs', path)),
        { input: 'diff', name: `${base}..${head}`, text: diffText(folder, base, head) },
        ...changed
          .filter((path) => !sent.includes(path) && !path.includes('itd-7'))
          .map((path) => file('changed_files', path)),
      ],
    );
    expect(document.bundle).toMatchObject({
      kind: 'intent_audit',
      list_origin: 'compiled',
      range: { base, head },
      deleted: [`${ISSUES}/resolved/iss-4-crash.md`],
    });
    expect(start.bundle.items.map(({ path }) => path).filter((path) => path !== null)).toContain('src/send.ts');
  });

  it('asks for the criteria word for word under a receipt and hashes that can be recomputed', () => {
    const receipt = `rcp-${sha256(`itd-7|spc-2|${sha256(CRITERIA)}`).slice(0, 12)}`;
    const request = hostDocument(`${receipt}.request.md`);
    expect(request.startsWith(`# Fidelity review request — ${receipt}\n\n- receipt_id: ${receipt}\n`)).toBe(true);
    expect(request).toContain(`(2, in order ac-1..ac-2)\n\n${CRITERIA}\n`);
    expect(request).toContain('## Scope Conditions\n\n- one machine\n');
    const [above = '', provenance = ''] = request.split('\n## Provenance\n');
    const rubric = above.slice(above.indexOf('## Rubric')).trimEnd();
    expect(provenance).toBe(`\n- rubric_hash: sha256:${sha256(rubric)}\n- prompt_hash: sha256:${sha256(above)}\n`);
  });
});

describe('rule 4: an audit without a delivered range', () => {
  const refused = async () => {
    const connections = world.sandbox.connections();
    const rows = world.rows().length;
    const { exit, document } = await world.runJson(repository.folder, ['intent', 'audit', 'itd-7']);
    expect(exit).toBe(2);
    expect(document.code).toBe('NO_RANGE');
    expect(document.message).toContain('intent_audit needs a range of commits');
    expect(document.message).toContain('--route intent-auditor=host-decides');
    expect(world.sandbox.connections()).toBe(connections);
    expect(world.rows().slice(rows)).toMatchObject([{ event: 'refused', code: 'NO_RANGE' }]);
    return document.message ?? '';
  };

  it('is refused before any call, naming the default branch: origin/HEAD’s target, else main, else master', async () => {
    const { git, head } = repository;
    git(['branch', '-q', '-m', 'deliver', 'trunk']);
    git(['update-ref', 'refs/remotes/origin/trunk', head]);
    git(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk']);
    expect(await refused()).toContain('no commit beyond the default branch origin/trunk');
    git(['symbolic-ref', '--delete', 'refs/remotes/origin/HEAD']);
    git(['branch', '-q', '-D', 'main']);
    git(['branch', '-q', 'master']);
    expect(await refused()).toContain('no commit beyond the default branch master');
    git(['branch', '-q', 'main']);
    expect(await refused()).toContain('no commit beyond the default branch main');
    git(['branch', '-q', '-D', 'main', 'master']);
    expect(await refused()).toContain('no default branch was found');
    git(['branch', '-q', 'main', repository.base]);
    const plan = await world.runJson(repository.folder, ['intent', 'audit', 'itd-7', '--plan']);
    expect(plan.document.bundle?.['range']).toEqual({ base: repository.base, head });
  });
});

describe('rule 11: the other two kinds of the record tree on an admitted provider', () => {
  it('sends a consistency pass the request, every brief page whole and every intent’s claims, and nothing else', async () => {
    const { folder } = repository;
    await world.run(folder, ['intent', 'consistency', '--route', 'intent-auditor=host-decides']);
    const corpus: readonly ExpectedItem[] = [
      file('corpus', `${BRIEF}/01-what.md`),
      file('corpus', `${BRIEF}/parts/02-how.md`),
      { input: 'corpus', name: `${INTENTS}/drafts/itd-10-later.md`, text: '# Later\n\n## Decisions\n\nNone.\n' },
      {
        input: 'corpus',
        name: `${INTENTS}/planned/itd-9-next.md`,
        text: '# Next\n\n## The Rule\n\nOne at a time.\n\n### Detail\n\nKept.\n',
      },
      { input: 'corpus', name: `${INTENTS}/shipped/itd-3-first.md`, text: '# First\n' },
      {
        input: 'corpus',
        name: `${INTENTS}/shipped/itd-7-send-safely.md`,
        text: '# Send safely\n\n## Press Release\n\n> Files leave blanked.\n> Nothing else does.\n\n## What’s In Scope\n\n- blanking\n',
      },
    ];
    const whole = corpus.map(({ name, text }) => `<!-- ${name} -->\n\n${text.trimEnd()}\n`).join('\n');
    const receipt = `rcp-${sha256(`consistency|corpus|${sha256(whole)}`).slice(0, 12)}`;
    expect(hostDocument(`${receipt}.corpus.md`)).toBe(whole);
    const request: ExpectedItem = { input: 'request', name: receipt, text: hostDocument(`${receipt}.request.md`) };
    await expectSent(['intent', 'consistency'], [request, ...corpus]);
  });

  it('sends the composer the cut and each added record’s file, and nothing else', async () => {
    const cut = {
      next_tag: 'v0.3.2',
      base_tag: 'v0.3.1',
      added: [
        {
          id: 'itd-7',
          path: `${INTENTS}/shipped/itd-7-send-safely.md`,
          impact: 'additive',
          title: 'Send safely',
          summary: 'Files leave blanked. Nothing else does.',
          in_changelog: true,
          in_press_release: true,
        },
        {
          id: 'iss-5',
          path: `${ISSUES}/resolved/iss-5-slow.md`,
          impact: 'internal',
          title: 'Slow',
          summary: 'Faster now.',
          in_changelog: false,
          in_press_release: false,
        },
      ],
      removed: [
        {
          id: 'iss-4',
          path: `${ISSUES}/resolved/iss-4-crash.md`,
          impact: 'fix',
          title: 'crash',
          summary: 'It no longer ends early.',
          in_changelog: true,
          in_press_release: false,
        },
      ],
    };
    await expectSent(
      ['release', 'changelog', '--from', 'v0.3.1'],
      [
        { input: 'cut', name: 'v0.3.1', text: `${JSON.stringify(cut, null, 2)}\n` },
        file('records', `${INTENTS}/shipped/itd-7-send-safely.md`),
        file('records', `${ISSUES}/resolved/iss-5-slow.md`),
      ],
    );
  });
});
