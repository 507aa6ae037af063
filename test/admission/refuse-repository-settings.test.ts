/** Settings of a checkout's own for an agent: where they may travel and where they refuse. */
import { describe, expect, it } from 'vitest';
import { admit } from '../../src/admission/admit.js';
import { chooseRoute } from '../../src/admission/choose-route.js';
import type { Settings } from '../../src/contract/settings.js';
import { PROVIDERS, refusalIn, settingsOf } from './made-settings.js';

const AGENT = 'change-reviewer';

const admitted = (settings: Settings, typed: readonly string[] = []): void => {
  const { route } = chooseRoute({ agent: AGENT, typed, settings });
  admit({ route, kind: 'change_review', settings });
};

interface Setup {
  readonly machine?: string;
  readonly routing: object;
}

const settingsWith = ({ machine, routing }: Setup): Promise<Settings> =>
  settingsOf({
    oracle: {
      api: PROVIDERS,
      bundled_context_providers: ['acme'],
      ...(machine === undefined ? {} : { roles: { [AGENT]: machine } }),
    },
    routing,
  });

describe('settings that a repository attaches to an agent', () => {
  const routing = { schema_version: 1, agents: { [AGENT]: { settings: { temperature: 1, top_p: 0.5 } } } };

  it('are refused on a remote leg that nobody typed, each by name and where to move it', async () => {
    const settings = await settingsWith({ machine: 'acme/vendor/large', routing });
    const refusal = refusalIn(() => admitted(settings));
    expect(refusal.code).toBe('SETTING_REFUSED');
    expect(refusal.message).toContain('temperature (move it to coldseal.providers.acme.settings.temperature)');
    expect(refusal.message).toContain('top_p (move it to coldseal.providers.acme.settings.top_p)');
    expect(refusal.message).toContain(settings.machineFile);
  });

  it('are named up to sixteen, the rest counted, so that a checkout fills neither message nor record', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`s${at}-${'x'.repeat(100)}`, 1]));
    const filled = { schema_version: 1, agents: { [AGENT]: { settings: many } } };
    const settings = await settingsWith({ machine: 'acme/vendor/large', routing: filled });
    const refusal = refusalIn(() => admitted(settings));
    expect(refusal.message).toContain('and 4984 more for');
    expect(refusal.message.length + JSON.stringify(refusal.facts).length).toBeLessThan(8192);
  });

  it.each<[what: string, setup: Setup, typed: readonly string[]]>([
    ['a route that was typed', { machine: 'acme/vendor/large', routing }, [`${AGENT}=acme/vendor/large`]],
    ['a provider on this machine', { machine: 'here/tiny', routing }, []],
    ['the host', { routing }, []],
    [
      'another agent',
      { machine: 'acme/vendor/large', routing: { schema_version: 1, agents: { other: { settings: { seed: 1 } } } } },
      [],
    ],
  ])('do not stop %s', async (_what, setup, typed) => {
    const settings = await settingsWith(setup);
    expect(() => admitted(settings, typed)).not.toThrow();
  });
});
