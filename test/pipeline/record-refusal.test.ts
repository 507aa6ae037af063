import { describe, expect, it } from 'vitest';
import { chooseRoute } from '../../src/admission/choose-route.js';
import { chooseSettings } from '../../src/admission/choose-settings.js';
import { requireKind } from '../../src/admission/require-kind.js';
import type { ColdsealError } from '../../src/contract/error.js';
import type { RowBody } from '../../src/contract/record.js';
import type { Settings } from '../../src/contract/settings.js';
import { recordRefusal } from '../../src/pipeline/record-refusal.js';
import { PROVIDERS, refusalIn, settingsOf } from '../admission/made-settings.js';
import { portsOf } from '../support/made-run.js';
import { drawn, madeToken } from '../support/made-secrets.js';

const TOKEN = madeToken(41);
/** Of the grammar of a provider's and of an agent's name. */
const KEY = drawn(42, 30).toLowerCase();

const typed = (given: Settings, route: string) => ({ agent: 'change-reviewer', typed: [route], settings: given });

const setting = (given: Settings, words: string): unknown => {
  const { route } = chooseRoute(typed(given, 'change-reviewer=acme/vendor/large'));
  return route.kind === 'provider' && chooseSettings({ route, typed: [words], settings: given });
};

const settings = (denylist: readonly string[]): Promise<Settings> =>
  settingsOf({ oracle: { api: PROVIDERS, denylist } });

const rowOf = async (error: ColdsealError): Promise<RowBody | undefined> => {
  const { records, rows } = portsOf();
  const refused = { id: 'rec-a', verb: 'review', error, route: null, kind: null, project: null };
  expect(await recordRefusal(records, refused, () => undefined)).toBe(true);
  return rows[0];
};

describe('the row of a refusal', () => {
  it.each<[what: string, refuse: (given: Settings) => unknown]>([
    ['a model that no list has', (given) => chooseRoute(typed(given, `change-reviewer=acme/${TOKEN}`))],
    ['a model that is denied', (given) => chooseRoute(typed(given, `change-reviewer=acme/denied/${TOKEN}`))],
    ['a provider that is not configured', (given) => chooseRoute(typed(given, `change-reviewer=${KEY}/large`))],
    ['an agent without a kind', () => requireKind(KEY)],
    ['a setting outside the closed list', (given) => setting(given, `${KEY}=1`)],
  ])('does not keep %s, which may be a pasted key', async (_what, refuse) => {
    const given = await settings(['denied/*']);
    const refusal = refusalIn(() => refuse(given));
    expect(refusal.message).toMatch(new RegExp(`${TOKEN}|${KEY}`));
    const row = JSON.stringify(await rowOf(refusal));
    expect(row).toContain('[withheld]');
    expect(row).not.toContain(TOKEN);
    expect(row).not.toContain(KEY);
  });

  it('keeps what is known here: the provider, the entry that denies, settings of the closed list', async () => {
    const given = await settings(['denied/*']);
    const denied = refusalIn(() => chooseRoute(typed(given, 'change-reviewer=acme/denied/large')));
    expect(await rowOf(denied)).toMatchObject({ facts: { provider: 'acme', entry: 'denied/*' } });
    const bent = refusalIn(() => setting(given, 'seed="x"'));
    expect(await rowOf(bent)).toMatchObject({ code: 'SETTING_REFUSED', facts: { setting: 'seed' } });
  });
});
