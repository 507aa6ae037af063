/** Rules 2 and 6: what a checkout may say of routes and settings, and what it may not. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeRepository, makeTestFolder, wrapRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

const NEAR = 'http://127.0.0.1:9/v1';
const FAR = 'https://far.example/v1';
const AGENT = 'change-reviewer';

/** Plans towards a provider on this machine need no scanner, so the table costs little. */
const machine = (more: object = {}) => ({
  oracle: {
    api: {
      home: { base_url: NEAR, models: ['own-1'] },
      near: { base_url: NEAR, models: ['tiny', 'vendor/denied'] },
      nearkey: { base_url: NEAR, key: 'k', models: ['tiny'] },
      far: { base_url: FAR, models: ['big'] },
      farkey: { base_url: FAR, key: 'k', models: ['big'] },
    },
    roles: { [AGENT]: 'home/own-1' },
    denylist: ['vendor/*'],
    bundled_context_providers: ['far'],
    ...more,
  },
  coldseal: { credentials: { k: { env: 'SOME_KEY' } } },
});

let first: MadeRepository;
let home: ProgramHome;
const made: MadeRepository[] = [];

beforeAll(() => {
  home = makeProgramHome(machine());
  first = makeRepository();
  first.commit('first', { 'a.txt': 'a\n' });
});
afterAll(() => {
  for (const repository of [first, ...made]) repository.close();
  home.remove();
});

/** A checkout of its own with these repository files; cases run side by side. */
const checkout = (files: Readonly<Record<string, unknown>>): MadeRepository => {
  const folder = makeTestFolder();
  cpSync(first.folder, folder, { recursive: true });
  const repository = wrapRepository(folder);
  made.push(repository);
  for (const [path, content] of Object.entries(files)) {
    repository.write(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return repository;
};
const withRoute = (route: unknown) => checkout({ '.abcd/config.json': { oracle: { roles: { [AGENT]: route } } } });
const lines = (stderr: string) => stderr.split('\n').filter((line) => line !== '' && !line.includes('HOME is'));

describe('rule 2: a repository’s route', () => {
  const SKIPPED: readonly (readonly [string, unknown, string])[] = [
    ['to a remote provider without a key', 'far/big', 'names a remote provider'],
    ['to a remote provider with a key', 'farkey/big', 'names a remote provider'],
    ['to a provider with a key on this machine', 'nearkey/tiny', 'names a provider with a key'],
    ['without a model', 'near', 'is not "<provider>/<model>"'],
    ['with an empty provider', '/tiny', 'is not "<provider>/<model>"'],
    ['with an empty model', 'near/', 'is not "<provider>/<model>"'],
    ['that is a number', 7, 'is not "<provider>/<model>"'],
    ['to a name in other letter case', 'Near/tiny', 'names a provider that is not configured here'],
    ['to a name with a Cyrillic letter', 'n\u0435ar/tiny', 'names a provider that is not configured here'],
    ['to a name with a blank', 'near /tiny', 'names a provider that is not configured here'],
    ['to a name that every object has', '__proto__/tiny', 'names a provider that is not configured here'],
    ['to a model that is not listed', 'near/tiny2', 'names a model that the provider’s list has not'],
    ['to a model in other letter case', 'near/Tiny', 'names a model that the provider’s list has not'],
    ['to a denied model', 'near/vendor/denied', 'names a denied model'],
    ['to a provider that is not configured here', 'elsewhere/tiny', 'names a provider that is not configured here'],
  ];

  it('that may not be taken is skipped with one line, and the machine’s own route applies', async () => {
    await atOnce(SKIPPED, async ([name, route, why]) => {
      const { folder } = withRoute(route);
      const { ended, document, stderr } = await home.runJson(folder, ['review', '--plan']);
      expect(ended, name).toBe('0 planned');
      expect(document.route, name).toMatchObject({ provider: 'home', origin: 'machine', remote: false });
      expect(lines(stderr), name).toHaveLength(1);
      const [line = ''] = lines(stderr);
      const shown = typeof route === 'string' ? route : JSON.stringify(route);
      for (const named of [join(folder, '.abcd/config.json'), `${AGENT}=${shown} ${why}`, home.machineFile]) {
        expect(line, name).toContain(named);
      }
    });
  });

  it('to a keyless provider on this machine is taken', async () => {
    const { document, stderr } = await home.runJson(withRoute('near/tiny').folder, ['review', '--plan']);
    expect(document.route).toMatchObject({ provider: 'near', origin: 'repository', remote: false });
    expect(lines(stderr)).toEqual([]);
  });

  it('to a provider not configured here is an error where the machine file does not route the agent', async () => {
    const bare = makeProgramHome(machine({ roles: {} }));
    try {
      const { folder } = withRoute('elsewhere/tiny');
      const refused = await bare.runJson(folder, ['review', '--plan']);
      expect(refused.ended).toMatch(/^2 refused PROVIDER_UNKNOWN /);
      for (const named of [`${AGENT}=elsewhere/tiny`, bare.machineFile, `--route ${AGENT}=host-decides`]) {
        expect(refused.document.message).toContain(named);
      }
      const typed = await bare.runJson(folder, ['review', '--plan', '--route', `${AGENT}=host-decides`]);
      expect(typed.ended).toBe('0 planned');
      const remote = await bare.runJson(withRoute('far/big').folder, ['review', '--plan']);
      expect(remote.document.route).toMatchObject({ origin: 'none', remote: false });
    } finally {
      bare.remove();
    }
  });

  it('names no destination in a plan that is refused before there is one', async () => {
    const planned = await home.run(first.folder, ['review', '--plan', '--route', `${AGENT}=nowhere/big`]);
    expect(planned.stdout).toMatch(/^would be refused \(PROVIDER_UNKNOWN\): /);
    expect(planned.stdout).not.toContain('the host decides');
  });

  it('brings no settings to a remote provider: each is named with its new place, unless the person typed the route', async () => {
    const remote = makeProgramHome(machine({ roles: { [AGENT]: 'far/big' } }));
    try {
      const agents = { [AGENT]: { settings: { temperature: 0, top_p: 0.5 } } };
      const { folder } = checkout({ '.abcd/config/oracle-routing.json': { schema_version: 1, agents } });
      const refused = await remote.runJson(folder, ['review']);
      expect(refused.ended).toMatch(/^2 refused SETTING_REFUSED /);
      for (const setting of ['temperature', 'top_p']) {
        expect(refused.document.message).toContain(
          `${setting} (move it to coldseal.providers.far.settings.${setting})`,
        );
      }
      expect(remote.rows()).toMatchObject([{ event: 'refused', code: 'SETTING_REFUSED' }]);
      const planned = await remote.run(folder, ['review', '--plan']);
      expect(planned.stdout).toMatch(
        /^leaves this machine for far\.example \(far, model big\)\nwould be refused \(SETTING_/,
      );
      const typed = await remote.runJson(folder, ['review', '--plan', '--route', `${AGENT}=far/big`]);
      expect(typed.ended).toBe('0 planned');
      const near = await home.runJson(folder, ['review', '--plan']);
      expect(near.ended).toBe('0 planned');
    } finally {
      remote.remove();
    }
  });
});

describe('rule 6: settings of the owner’s in a checkout', () => {
  it('“oracle.bundles” there is one line and nothing else: cap, list and withheld files stay the owner’s', async () => {
    const root = first.git(['rev-parse', 'HEAD']);
    const bundles = { cap: 1, withhold: ['*'], projects: { [root]: { kinds: { change_review: ['changed_files'] } } } };
    const { folder } = checkout({ '.abcd/config.json': { oracle: { bundles }, coldseal: { threads: 1 } } });
    const ran = await home.run(folder, ['project', '--json']);
    expect(ran.exit).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      cap: { bytes: 4194304, origin: 'default' },
      lists: { change_review: { origin: 'compiled', entries: ['diff', 'changed_files'] } },
      withhold: [],
    });
    const plan = await home.runJson(folder, ['review', '--plan']);
    expect(plan.ended).toBe('0 planned');
    const file = join(folder, '.abcd/config.json');
    expect(lines(plan.stderr)).toEqual(
      ['oracle.bundles', 'coldseal'].map(
        (key) => `coldseal: ${file}: "${key}" is ignored in a repository; it is set in ${home.machineFile}`,
      ),
    );
  });

  it.each([
    ['api', { api: { near: { base_url: NEAR, models: ['tiny'] } } }],
    ['bundled_context_providers', { bundled_context_providers: [] }],
  ])('“oracle.%s” there ends every verb with exit 2, naming it, and writes no row', async (key, oracle) => {
    const { folder } = checkout({ '.abcd/config.json': { oracle } });
    const rows = home.rows().length;
    for (const words of [['review', '--plan'], ['review'], ['config', 'show']]) {
      const ran = await home.run(folder, words);
      expect(ran.exit).toBe(2);
      expect(ran.stderr).toContain(`refused (REPO_DECLARES_PROVIDER): ${join(folder, '.abcd/config.json')}:1:12:`);
      expect(ran.stderr).toContain(`declares oracle.${key}`);
      expect(ran.stderr).toContain(home.machineFile);
    }
    expect(home.rows()).toHaveLength(rows);
  });

  it('a denial there counts: it only narrows', async () => {
    const { folder } = checkout({ '.abcd/config.json': { oracle: { denylist: ['own-1'] } } });
    const { ended, document } = await home.runJson(folder, ['review', '--plan']);
    expect(ended).toMatch(/^2 refused MODEL_DENIED /);
    expect(document.message).toContain(join(folder, '.abcd/config.json'));
    writeFileSync(join(folder, '.abcd/config.json'), '{}');
    expect((await home.runJson(folder, ['review', '--plan'])).ended).toBe('0 planned');
  });
});
