/** `coldseal doctor`: each thing that would stop a run is named with what to do, and no secret is shown. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgeGit } from '../../src/app/doctor/check-program.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import type { ProgramWords } from '../support/run-coldseal.js';
import { randomText } from '../support/scan-fixtures.js';

const KEY = randomText(11, 40);
const API = { base_url: 'https://a.example/v1', key: 'k', models: ['m'] };
const SOUND = {
  oracle: { api: { a: API }, roles: { 'change-reviewer': 'a/m' }, bundled_context_providers: ['a'] },
  coldseal: { threads: 1, credentials: { k: { env: 'A_KEY' } } },
};

let repository: MadeRepository;
beforeAll(() => {
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
});
afterAll(() => repository.close());

interface Row {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly todo?: string;
}

const doctor = async (
  settings: unknown,
  more: Partial<ProgramWords> = {},
  plant: (home: ProgramHome) => void = () => {},
): Promise<{ readonly exit: number | null; readonly rows: readonly Row[]; readonly text: string }> => {
  const home = makeProgramHome(settings);
  try {
    plant(home);
    const ran = await home.run(repository.folder, ['doctor', '--json'], more);
    const { ok, checks } = JSON.parse(ran.stdout) as { ok: boolean; checks: readonly Row[] };
    expect(ok).toBe(ran.exit === 0);
    expect(checks.every(({ state, todo }) => (state === 'ok') === (todo === undefined))).toBe(true);
    return { exit: ran.exit, rows: checks, text: ran.stdout + ran.stderr };
  } finally {
    home.remove();
  }
};
const stateOf = (rows: readonly Row[], check: string): string | undefined =>
  rows.find((row) => row.check === check)?.state;

it('finds a sound machine sound, and shows no key', async () => {
  const { exit, rows, text } = await doctor(SOUND, { environment: { A_KEY: KEY } });
  expect(exit).toBe(0);
  for (const check of [
    'node',
    'git',
    'scanner',
    'records',
    'chain',
    'threads',
    'provider a',
    'route change-reviewer',
    'key k',
    'proxy',
  ]) {
    expect([check, stateOf(rows, check)]).toEqual([check, 'ok']);
  }
  expect(text).not.toContain(KEY);
});

const withOracle = (oracle: object): object => ({ ...SOUND, oracle: { ...SOUND.oracle, ...oracle } });

it.each<[what: string, settings: unknown, check: string, state: string, environment?: Record<string, string>]>([
  ['a machine file that does not read', { oracle: { bundles: { cap: 'x' } } }, 'machine file', 'fail'],
  ['a key without a value', SOUND, 'key k', 'warn'],
  ['a route to nowhere', withOracle({ roles: { 'change-reviewer': 'b/m' } }), 'route change-reviewer', 'fail'],
  ['a model that is not listed', withOracle({ roles: { 'change-reviewer': 'a/n' } }), 'route change-reviewer', 'fail'],
  ['a provider without the override', withOracle({ bundled_context_providers: [] }), 'route change-reviewer', 'warn'],
  ['more threads than cores', { ...SOUND, coldseal: { ...SOUND.coldseal, threads: 200 } }, 'threads', 'warn'],
  [
    'a rules folder that is not there',
    { ...SOUND, coldseal: { ...SOUND.coldseal, rules_dir: 'gone' } },
    'own rules',
    'fail',
  ],
  ['no provider', {}, 'providers', 'warn'],
  ['Node’s own variables', SOUND, 'NODE_*', 'warn', { NODE_OPTIONS: '--no-warnings' }],
  ['a proxy that is no address', SOUND, 'proxy', 'fail', { HTTPS_PROXY: 'ftp://x' }],
])('says what to do about %s', async (_what, settings, check, state, environment = {}) => {
  const { exit, rows } = await doctor(settings, { environment });
  expect([check, stateOf(rows, check)]).toEqual([check, state]);
  expect(exit).toBe(rows.some((row) => row.state === 'fail') ? 2 : 0);
});

it('refuses certificate checks that are off and leaves out what depends on the settings', async () => {
  const { exit, rows } = await doctor(SOUND, { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
  expect(exit).toBe(2);
  expect(rows.filter(({ state }) => state === 'fail').map(({ check }) => check)).toEqual(['machine file', 'NODE_*']);
  expect(stateOf(rows, 'provider a')).toBeUndefined();
});

it('shows a proxy without its password', async () => {
  const environment = { HTTPS_PROXY: `http://me:${KEY}@proxy.example:3128` };
  const { rows, text } = await doctor(SOUND, { environment });
  expect(rows.find(({ check }) => check === 'proxy')?.found).toBe('remote calls go through http://proxy.example:3128');
  expect(text).not.toContain(KEY);
});

it('finds a broken chain and a records folder that is none', async () => {
  const records = (home: ProgramHome): string => join(home.machineFolder, 'coldseal', 'records');
  const broken = await doctor(SOUND, {}, (home) => {
    mkdirSync(records(home), { recursive: true, mode: 0o700 });
    writeFileSync(join(records(home), '2026-01.jsonl'), '{}\n', { mode: 0o600 });
  });
  expect([broken.exit, stateOf(broken.rows, 'chain')]).toEqual([2, 'fail']);
  const file = await doctor(SOUND, {}, (home) => {
    mkdirSync(join(home.machineFolder, 'coldseal'), { mode: 0o700 });
    writeFileSync(records(home), '');
  });
  expect([file.exit, stateOf(file.rows, 'records')]).toEqual([2, 'fail']);
});

it('knows an old git', () => {
  expect(['2.30.1', '2.39.5', '3.0.0', 'unknown'].map((version) => judgeGit(version).state)).toEqual([
    'warn',
    'ok',
    'ok',
    'warn',
  ]);
});
