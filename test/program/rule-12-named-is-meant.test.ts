/** Rule 12: an agent without a kind never sends, and whoever names something that cannot be used is told so. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { makeRecordRepository, type RecordRepository } from '../support/make-record-repository.js';
import { makeProgramHome } from '../support/program-home.js';
import { openProgramWorld, type ProgramWorld } from '../support/program-world.js';

let world: ProgramWorld;
let repository: RecordRepository;

beforeAll(async () => {
  world = await openProgramWorld();
  repository = makeRecordRepository();
  const { oracle, coldseal } = world.fragment();
  const agents = ['change-reviewer', 'source-reader', 'intent-auditor', 'nobody'];
  world.writeMachine({
    oracle: {
      ...oracle,
      roles: Object.fromEntries(agents.map((agent) => [agent, 'sandbox/summary-1'])),
      denylist: ['vendor/*'],
      api: {
        ...(oracle['api'] as object),
        other: { base_url: 'https://other.example/v1', models: ['m', 'vendor/large'] },
      },
    },
    coldseal,
  });
});
afterAll(async () => {
  await world.close();
  repository.close();
});

const review = (...words: string[]) => ['review', ...words];
const route = (target: string) => review('--route', target);

describe('rule 12: what a person names is meant', () => {
  type Row = readonly [name: string, words: readonly string[], code: string, said: string];
  const REFUSED: readonly Row[] = [
    ['an agent without a kind', route('nobody=sandbox/summary-1'), 'NO_KIND', 'nobody'],
    ['an agent without a kind, to the host', route('nobody=host-decides'), 'NO_KIND', 'nobody'],
    ['a look-alike agent', route('Change-Reviewer=sandbox/summary-1'), 'NO_KIND', 'Change-Reviewer'],
    ['a name that every object has', route('constructor=sandbox/summary-1'), 'NO_KIND', 'constructor'],
    ['an agent of another verb', route('intent-auditor=sandbox/summary-1'), 'USAGE', 'dispatches change-reviewer'],
    [
      'an agent twice',
      [...route('change-reviewer=host-decides'), '--route', 'change-reviewer=other/m'],
      'USAGE',
      '2 times',
    ],
    ['a provider that is not there', route('change-reviewer=none/m'), 'PROVIDER_UNKNOWN', 'none'],
    ['a provider in other letter case', route('change-reviewer=Sandbox/summary-1'), 'PROVIDER_UNKNOWN', 'Sandbox'],
    ['a model that is not listed', route('change-reviewer=sandbox/summary-2'), 'MODEL_NOT_LISTED', 'summary-2'],
    ['a denied model', route('change-reviewer=other/vendor/large'), 'MODEL_DENIED', 'vendor/*'],
    ['a provider the owner does not list', route('change-reviewer=other/m'), 'NOT_BUNDLED_CONTEXT', 'DR5'],
    ['a route without a model', route('change-reviewer=sandbox'), 'USAGE', 'PROVIDER/MODEL'],
    ['a setting that is none', review('--set', 'messages=[]'), 'SETTING_REFUSED', 'messages'],
    ['a setting without JSON', review('--set', 'temperature=warm'), 'USAGE', 'temperature'],
    ['a range that is none', review('--range', 'main'), 'USAGE', 'A..B'],
    ['a revision that is not there', review('--range', 'main..nowhere'), 'NO_RANGE', 'nowhere'],
    ['an empty range', review('--range', 'HEAD..main'), 'NO_RANGE', 'no commit beyond'],
    ['a brief that is not there', review('--brief', 'none.md'), 'INPUT_MISSING', 'none.md'],
    ['a brief that is a link', review('--brief', 'link.md'), 'INPUT_MISSING', 'link.md'],
    ['a brief over 64 KiB', review('--brief', 'large.md'), 'INPUT_MISSING', '65536 bytes'],
    ['an intent that is not there', ['intent', 'audit', 'itd-99'], 'INPUT_MISSING', 'itd-99'],
    ['an intent that is not shipped', ['intent', 'audit', 'itd-9'], 'INPUT_MISSING', 'planned'],
    ['an intent that promises nothing', ['intent', 'audit', 'itd-3'], 'INPUT_MISSING', 'Acceptance Criteria'],
    ['a word that is no intent', ['intent', 'audit', '../itd-7'], 'USAGE', 'itd-'],
    ['a tag that is not there', ['release', 'changelog', '--from', 'v9'], 'NO_RANGE', 'v9'],
    ['another digest', review('--expect', `sha256:${'0'.repeat(64)}`), 'DIGEST_MISMATCH', '--expect'],
    ['no files', ['ask', 'Why?'], 'INPUT_MISSING', 'coldseal list set source_question'],
  ];

  it('is an error before any call, never a thinner run or another way', async () => {
    writeFileSync(join(repository.folder, 'large.md'), 'x'.repeat(65_537));
    writeFileSync(join(repository.folder, 'real.md'), 'x');
    symlinkSync('real.md', join(repository.folder, 'link.md'));
    await atOnce(REFUSED, async ([name, words, code, said]) => {
      const ran = await world.run(repository.folder, words);
      expect([name, ran.exit, ran.stdout]).toEqual([name, 2, '']);
      expect(ran.stderr, name).toContain(`refused (${code}): `);
      expect(ran.stderr, name).toContain(said);
    });
    expect(world.sandbox.connections()).toBe(0);
    const recorded = REFUSED.filter(([, , code]) => code !== 'USAGE').map(([, , code]) => code);
    expect(
      world
        .rows()
        .map(({ code }) => code)
        .sort(),
    ).toEqual(recorded.sort());
  });

  it('a list for a kind that is none is refused by its writer, naming it', async () => {
    const ran = await world.run(repository.folder, ['list', 'set', 'spec_review', 'diff']);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain('spec_review');
  });

  it('the machine file’s own route to what cannot be used refuses too, and does not go to the host', async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['none/m', 'PROVIDER_UNKNOWN'],
      ['sandbox/summary-2', 'MODEL_NOT_LISTED'],
    ];
    for (const [target, code] of cases) {
      const { oracle, coldseal } = world.fragment();
      const home = makeProgramHome({ oracle: { ...oracle, roles: { 'change-reviewer': target } }, coldseal });
      try {
        expect((await home.runJson(repository.folder, ['review'])).ended).toMatch(new RegExp(`^2 refused ${code} `));
      } finally {
        home.remove();
      }
    }
  });

  it('a typed route that cannot be reached is PROVIDER_UNREACHABLE; one that nobody typed falls back to the host', async () => {
    const closed = await new Promise<number>((done) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
      });
    });
    const { oracle } = world.fragment();
    const providers = { sandbox: { resolve: { [world.sandbox.name]: `127.0.0.1:${closed}` } } };
    const home = makeProgramHome({ oracle, coldseal: { providers } });
    try {
      const [typed, awaited, fallen] = await Promise.all([
        home.run(repository.folder, route('change-reviewer=sandbox/summary-1')),
        home.runJson(repository.folder, ['review']),
        home.run(repository.folder, ['review']),
      ]);
      expect(typed.exit).toBe(3);
      expect(typed.stderr).toContain('provider failed (PROVIDER_UNREACHABLE)');
      expect(awaited.ended).toMatch(/^3 provider_failed PROVIDER_UNREACHABLE /);
      expect(fallen.exit).toBe(0);
      expect(fallen.stderr.match(/handed to the host/g)).toHaveLength(1);
    } finally {
      home.remove();
    }
  });
});
