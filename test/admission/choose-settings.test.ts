import { describe, expect, it } from 'vitest';
import { chooseRoute } from '../../src/admission/choose-route.js';
import { chooseSettings, type ModelSettings } from '../../src/admission/choose-settings.js';
import type { ColdsealError } from '../../src/contract/error.js';
import { PROVIDERS, refusalIn, settingsOf } from './made-settings.js';

interface Words {
  readonly target: string;
  readonly typed?: readonly string[];
  readonly machine?: unknown;
  readonly repository?: unknown;
}

async function choosing({ target, typed = [], machine = {}, repository = {} }: Words): Promise<() => ModelSettings> {
  const provider = target.split('/')[0] ?? '';
  const settings = await settingsOf({
    oracle: { api: PROVIDERS },
    coldseal: { providers: { [provider]: { settings: machine } } },
    routing: { schema_version: 1, agents: { 'change-reviewer': { settings: repository } } },
  });
  const { route } = chooseRoute({ agent: 'change-reviewer', typed: [`change-reviewer=${target}`], settings });
  if (route.kind === 'host') throw new Error('a provider was due');
  return () => chooseSettings({ route, typed, settings });
}

const chosen = async (words: Words): Promise<ModelSettings> => (await choosing(words))();
const refused = async (words: Words): Promise<ColdsealError> => refusalIn(await choosing(words));

describe('the model settings of a call', () => {
  it('are the typed ones over the machine file’s', async () => {
    const machine = { temperature: 0.1, seed: 7 };
    expect(await chosen({ target: 'acme/vendor/large', machine })).toEqual(machine);
    const typed = [
      'temperature=0.9',
      'stop=["a","b"]',
      'response_format={"type":"json_object"}',
      'reasoning_effort="low"',
    ];
    expect(await chosen({ target: 'acme/vendor/large', machine, typed })).toEqual({
      temperature: 0.9,
      seed: 7,
      stop: ['a', 'b'],
      response_format: { type: 'json_object' },
      reasoning_effort: 'low',
    });
  });

  it('take the repository’s on a leg that stays on this machine, under all others', async () => {
    const repository = { temperature: 1, top_p: 0.5, seed: 1 };
    expect(await chosen({ target: 'here/tiny', repository, machine: { top_p: 0.6 }, typed: ['seed=2'] })).toEqual({
      temperature: 1,
      top_p: 0.6,
      seed: 2,
    });
    expect(await chosen({ target: 'acme/vendor/large', repository })).toEqual({});
  });

  it.each<[code: string, typed: readonly string[], message: RegExp]>([
    ['USAGE', ['temperature'], /takes NAME=JSON/],
    ['USAGE', ['=1'], /takes NAME=JSON/],
    ['USAGE', ['temperature=hot'], /the value is no JSON/],
    ['USAGE', ['temperature='], /the value is no JSON/],
    ['USAGE', ['seed=1', 'seed=2'], /names seed twice/],
    ['SETTING_REFUSED', ['model="x"'], /model typed with --set is no model setting/],
    ['SETTING_REFUSED', ['messages=[]'], /is no model setting/],
    ['SETTING_REFUSED', ['stream=false'], /is no model setting/],
    ['SETTING_REFUSED', ['tools=[]'], /is no model setting/],
    ['SETTING_REFUSED', ['__proto__={}'], /is no model setting/],
    ['SETTING_REFUSED', ['constructor=1'], /is no model setting/],
    ['SETTING_REFUSED', ['temperature="0.2"'], /must be a number/],
    ['SETTING_REFUSED', ['max_tokens=0'], /must be a whole number of tokens, 1 or more/],
    ['SETTING_REFUSED', ['max_tokens=1.5'], /must be a whole number/],
    ['SETTING_REFUSED', ['seed=null'], /must be a whole number/],
    ['SETTING_REFUSED', ['stop=[]'], /a list of 1 to 16 texts/],
    ['SETTING_REFUSED', ['provider=[]'], /must be an object/],
  ])('refuse with %s what was typed as %j', async (code, typed, message) => {
    const refusal = await refused({ target: 'acme/vendor/large', typed });
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(message);
  });

  it('refuse the repository’s own outside the closed list', async () => {
    const refusal = await refused({ target: 'here/tiny', repository: { num_ctx: 4096 } });
    expect(refusal.code).toBe('SETTING_REFUSED');
    expect(refusal.message).toContain('num_ctx in .abcd/config/oracle-routing.json is no model setting');
  });
});
