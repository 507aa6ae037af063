import { describe, expect, it } from 'vitest';
import { chooseRoute } from '../../src/admission/choose-route.js';
import { PROVIDERS, refusalIn, type SettingsWords, settingsOf } from './made-settings.js';

const AGENT = 'change-reviewer';

interface Words {
  /** `oracle.roles` of the machine file for the agent. */
  readonly machine?: string;
  /** `oracle.roles` of the repository file for the agent. */
  readonly repository?: unknown;
  readonly denylist?: readonly string[];
  readonly repositoryDenylist?: readonly string[];
}

const words = ({ machine, repository, denylist, repositoryDenylist }: Words): SettingsWords => ({
  oracle: {
    api: PROVIDERS,
    denylist: denylist ?? [],
    ...(machine === undefined ? {} : { roles: { [AGENT]: machine } }),
  },
  repository: {
    oracle: {
      ...(repository === undefined ? {} : { roles: { [AGENT]: repository } }),
      ...(repositoryDenylist === undefined ? {} : { denylist: repositoryDenylist }),
    },
  },
});

/** `origin provider/model`, or `origin host`. */
async function routed(setup: Words, typed: readonly string[] = [], agent = AGENT): Promise<readonly string[]> {
  const { route, notices } = chooseRoute({ agent, typed, settings: await settingsOf(words(setup)) });
  const target = route.kind === 'host' ? 'host' : `${route.provider.name}/${route.model}`;
  return [`${route.origin} ${target}`, ...notices];
}

describe('the route of an agent', () => {
  it.each<[what: string, setup: Words, typed: readonly string[], route: string]>([
    ['nothing is set', {}, [], 'none host'],
    ['the machine routes it', { machine: 'acme/vendor/large' }, [], 'machine acme/vendor/large'],
    ['a person types it', { machine: 'acme/vendor/large' }, [`${AGENT}=here/tiny`], 'flag here/tiny'],
    ['a person hands it to the host', { machine: 'acme/vendor/large' }, [`${AGENT}=host-decides`], 'flag host'],
    ['a person types a remote one', {}, [`${AGENT}=acme/vendor/small`], 'flag acme/vendor/small'],
    [
      'the repository routes to this machine',
      { machine: 'acme/vendor/large', repository: 'here/tiny' },
      [],
      'repository here/tiny',
    ],
    [
      'the repository routes and the machine does not',
      { repository: 'here/vendor/large' },
      [],
      'repository here/vendor/large',
    ],
    ['a person types over the repository', { repository: 'here/tiny' }, [`${AGENT}=keyless/open`], 'flag keyless/open'],
  ])('when %s', async (_what, setup, typed, route) => {
    expect(await routed(setup, typed)).toEqual([route]);
  });

  it.each<[what: string, text: unknown, fault: string]>([
    ['a remote keyed provider', 'acme/vendor/large', 'names a remote provider'],
    ['a remote keyless provider', 'keyless/open', 'names a remote provider'],
    ['a keyed provider on this machine', 'keyed/tiny', 'names a provider with a key'],
    ['a provider that is not configured', 'other/tiny', 'names a provider that is not configured here'],
    ['a look-alike name', 'Here/tiny', 'names a provider that is not configured here'],
    ['a name with a blank', 'here /tiny', 'names a provider that is not configured here'],
    ['a property of every object', 'constructor/tiny', 'names a provider that is not configured here'],
    ['an unlisted model', 'here/huge', 'names a model that the provider’s list has not'],
    ['a model in another case', 'here/Tiny', 'names a model that the provider’s list has not'],
    ['no slash', 'here', 'is not "<provider>/<model>"'],
    ['no model', 'here/', 'is not "<provider>/<model>"'],
    ['no provider', '/tiny', 'is not "<provider>/<model>"'],
    ['the host', 'host-decides', 'is not "<provider>/<model>"'],
    ['nothing', '', 'is not "<provider>/<model>"'],
    ['a number', 5, 'is not "<provider>/<model>"'],
    ['a list', ['here/tiny'], 'names a provider that is not configured here'],
  ])(
    'skips a repository’s route to %s, with one line that names the route and the machine file',
    async (_what, text, fault) => {
      const withMachine = await routed({ machine: 'acme/vendor/large', repository: text });
      expect(withMachine[0]).toBe('machine acme/vendor/large');
      expect(withMachine).toHaveLength(2);
      const shown = typeof text === 'string' ? text : JSON.stringify(text);
      expect(withMachine[1]).toContain(`the route ${AGENT}=${shown} ${fault} and is skipped`);
      expect(withMachine[1]).toMatch(/home\/\.abcd\.noindex\/config\.json\)$/);
      expect(withMachine[1]).toMatch(/checkout\/\.abcd\/config\.json: /);
      if (/^(?:other|constructor)\//.test(String(text))) return;
      const without = await routed({ repository: text });
      expect(without[0]).toBe('none host');
      expect(without).toHaveLength(2);
    },
  );

  it.each(['other/tiny', 'constructor/tiny'])(
    'refuses a repository’s %s, which is not configured here, where the owner routes the agent nowhere',
    async (text) => {
      await expect(routed({ repository: text })).rejects.toMatchObject({
        code: 'PROVIDER_UNKNOWN',
        message: expect.stringContaining(`the route ${AGENT}=${text} names a provider that is not configured here`),
      });
    },
  );

  it('skips a denied model of the repository, whoever denies it', async () => {
    for (const denied of [{ denylist: ['tiny'] }, { repositoryDenylist: ['TINY'] }]) {
      const lines = await routed({ ...denied, repository: 'here/tiny' });
      expect(lines[0]).toBe('none host');
      expect(lines[1]).toContain('names a denied model');
    }
  });

  it('shows a skipped route on one line, safe to print and bounded', async () => {
    const [, line = ''] = await routed({ repository: `a\n\u001b[31m\u202e${'x'.repeat(5000)}` });
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line).toContain('a\\x0a\\x1b[31m\\u202e');
    expect(line.length).toBeLessThan(700);
  });

  it.each<[code: string, setup: Words, typed: readonly string[], message: RegExp]>([
    [
      'PROVIDER_UNKNOWN',
      { machine: 'other/m' },
      [],
      /provider other is not configured under oracle\.api .*acme, keyless, here, keyed/,
    ],
    ['PROVIDER_UNKNOWN', {}, [`${AGENT}=other/m`], /provider other is not configured/],
    ['PROVIDER_UNKNOWN', {}, [`${AGENT}=constructor/m`], /provider constructor is not configured/],
    ['PROVIDER_UNKNOWN', {}, [`${AGENT}=harness/m`], /provider harness is not configured/],
    [
      'MODEL_NOT_LISTED',
      { machine: 'acme/vendor/huge' },
      [],
      /vendor\/huge is not on the list of acme: vendor\/large, vendor\/small/,
    ],
    ['MODEL_NOT_LISTED', {}, [`${AGENT}=here/huge`], /huge is not on the list of here/],
    [
      'MODEL_DENIED',
      { machine: 'acme/vendor/large', denylist: ['vendor/*'] },
      [],
      /denied by the entry "vendor\/\*" of oracle\.denylist in .*home/,
    ],
    [
      'MODEL_DENIED',
      { machine: 'acme/vendor/large', repositoryDenylist: ['Vendor/Large'] },
      [],
      /denied by the entry "Vendor\/Large" of oracle\.denylist in .*checkout/,
    ],
    ['MODEL_DENIED', { denylist: ['vendor/large'] }, [`${AGENT}=acme/vendor/large`], /denied by/],
    ['MODEL_DENIED', { machine: 'acme/vendor/huge', denylist: ['vendor/*'] }, [], /denied by/],
    ['NO_KIND', {}, ['spec-writer=acme/vendor/large'], /agent spec-writer has no kind of bundle/],
    ['NO_KIND', {}, ['toString=acme/vendor/large'], /agent toString has no kind/],
    [
      'USAGE',
      {},
      ['source-reader=acme/vendor/large'],
      /names source-reader .* but this verb dispatches change-reviewer/,
    ],
    ['USAGE', {}, ['acme/vendor/large'], /does not fit; write --route change-reviewer=PROVIDER\/MODEL/],
    ['USAGE', {}, [`${AGENT}=acme`], /does not fit/],
    ['USAGE', {}, [`${AGENT}=`], /does not fit/],
    ['USAGE', {}, [`${AGENT}=acme/`], /does not fit/],
    ['USAGE', {}, [`${AGENT}=here/tiny`, `${AGENT}=here/tiny`], /names change-reviewer 2 times/],
  ])('refuses with %s', async (code, setup, typed, message) => {
    const settings = await settingsOf(words(setup));
    const refusal = refusalIn(() => chooseRoute({ agent: AGENT, typed, settings }));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(message);
  });

  it('refuses an agent without a kind, whatever the machine file routes', async () => {
    const settings = await settingsOf({ oracle: { api: PROVIDERS, roles: { 'spec-writer': 'acme/vendor/large' } } });
    expect(refusalIn(() => chooseRoute({ agent: 'spec-writer', typed: [], settings })).code).toBe('NO_KIND');
  });
});
