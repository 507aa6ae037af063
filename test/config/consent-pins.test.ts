import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consentBlock } from '../../src/config/consent-block.js';
import { pinFirst, readConsentPin, removePin, replacePin } from '../../src/config/consent-pins.js';
import { consentRefusal, judgeConsent } from '../../src/config/judge-consent.js';
import { readSettings } from '../../src/config/read-settings.js';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { callerUid, type MadeHome, makeHome, refusalOf } from './made-home.js';

let made: MadeHome;
let word = 0;

beforeEach(() => {
  made = makeHome();
  mkdirSync(made.machineFolder, { mode: 0o700 });
  writeFileSync(join(made.machineFolder, 'ca.pem'), 'one authority\n');
  writeFileSync(join(made.machineFolder, 'same.pem'), 'one authority\n');
  writeFileSync(join(made.machineFolder, 'other.pem'), 'another authority\n');
});
afterEach(() => made.remove());

interface Words {
  readonly api?: Readonly<Record<string, unknown>>;
  readonly own?: Readonly<Record<string, unknown>>;
  readonly credentials?: unknown;
}

const blockOf = async ({ api = {}, own = {}, credentials = {} }: Words = {}) => {
  made.write(made.machineFile, {
    oracle: { api: { acme: { base_url: 'https://api.example.com/v1', models: ['large', 'small'], ...api } } },
    coldseal: { credentials, providers: { acme: { ca_file: 'ca.pem', ...own } } },
  });
  const settings = await readSettings(made.facts());
  const provider = settings.providers.get('acme');
  if (provider === undefined) throw new Error('a provider was due');
  return consentBlock(provider, settings);
};

const place = () => ({ machineFolder: made.machineFolder, provider: 'acme', uid: callerUid });
const pinFile = () => join(made.machineFolder, 'coldseal', 'consent', 'acme.json');
const written = (block: Awaited<ReturnType<typeof blockOf>>) => {
  word += 1;
  return { ...place(), block, now: new Date(0), uniqueWord: `w${word}` };
};
const judged = async (words: Words) => judgeConsent(await readConsentPin(place()), await blockOf(words));

const WIDENING: readonly (readonly [what: string, words: Words, member: string])[] = [
  ['the host', { api: { base_url: 'https://api.example.org/v1' } }, 'base_url'],
  ['the path', { api: { base_url: 'https://api.example.com/v2' } }, 'base_url'],
  ['the port', { api: { base_url: 'https://api.example.com:8443/v1' } }, 'base_url'],
  ['resolve', { own: { resolve: { 'api.example.com': '192.0.2.7' } } }, 'resolve'],
  ['the certificate file', { own: { ca_file: 'other.pem' } }, 'ca_file'],
  ['no certificate file', { own: { ca_file: undefined } }, 'ca_file'],
  ['the key’s name', { api: { key: 'acme' } }, 'key'],
  ['a model more', { api: { models: ['large', 'small', 'tiny'] } }, 'models'],
  ['a model less', { api: { models: ['large'] } }, 'models'],
  ['another model', { api: { models: ['large', 'tiny'] } }, 'models'],
  ['a model setting', { own: { settings: { provider: { order: ['elsewhere'] } } } }, 'settings'],
  ['the budget', { own: { max_prompt_tokens: 1000 } }, 'max_prompt_tokens'],
];

const COSMETIC: readonly (readonly [what: string, words: Words])[] = [
  ['nothing', {}],
  ['the time limit', { own: { timeout: 1200 } }],
  ['usage_chunk', { own: { usage_chunk: false } }],
  ['the order of the models', { api: { models: ['small', 'large'] } }],
  ['the path of the same certificate', { own: { ca_file: 'same.pem' } }],
  ['a credential of somebody else', { credentials: { other: { env: 'OTHER_KEY' } } }],
];

describe('a provider that something was sent to', () => {
  it.each(WIDENING)('is refused once %s changed', async (_what, words, member) => {
    await pinFirst(written(await blockOf()));
    const consent = await judged(words);
    expect(consent.kind === 'changed' && consent.changes.map((change) => change.member)).toContain(member);
    expect(consentRefusal(consent, 'acme')).toMatchObject({ code: 'CONSENT_CHANGED' });
    expect(consentRefusal(consent, 'acme')?.message).toContain('coldseal providers approve acme');
  });

  it.each(COSMETIC)('is what it was when %s changed', async (_what, words) => {
    await pinFirst(written(await blockOf()));
    const consent = await judged(words);
    expect(consent).toEqual({ kind: 'pinned', pinnedAt: new Date(0).toISOString() });
    expect(consentRefusal(consent, 'acme')).toBeNull();
  });

  it('is refused once its key comes from somewhere else', async () => {
    const keyed = { api: { key: 'acme' } };
    await pinFirst(written(await blockOf({ ...keyed, credentials: { acme: { env: 'ACME_KEY' } } })));
    const consent = await judged({ ...keyed, credentials: { acme: { env: 'OTHER_KEY' } } });
    expect(consent).toMatchObject({ kind: 'changed', changes: [{ member: 'key_source' }] });
  });

  it('is refused once its certificate file holds something else under the same path', async () => {
    await pinFirst(written(await blockOf()));
    writeFileSync(join(made.machineFolder, 'ca.pem'), 'an exchanged authority\n');
    expect(await judged({})).toMatchObject({ kind: 'changed', changes: [{ member: 'ca_file' }] });
  });
});

describe('a pin', () => {
  it('is a file of the caller alone, and the first of two stays', async () => {
    const first = await blockOf();
    const second = await blockOf({ api: { models: ['large'] } });
    expect(await Promise.all([pinFirst(written(first)), pinFirst(written(first))])).toSatisfy(
      (made: readonly boolean[]) => made.filter(Boolean).length === 1,
    );
    expect(await pinFirst(written(second))).toBe(false);
    expect(statSync(pinFile()).mode & 0o777).toBe(0o600);
    expect(judgeConsent(await readConsentPin(place()), first).kind).toBe('pinned');
  });

  it('is replaced by an approval and gone once it is taken back', async () => {
    await pinFirst(written(await blockOf()));
    const second = await blockOf({ api: { models: ['large'] } });
    await replacePin(written(second));
    expect(judgeConsent(await readConsentPin(place()), second).kind).toBe('pinned');
    await removePin(place());
    expect(existsSync(pinFile())).toBe(false);
    expect((await judged({})).kind).toBe('first');
  });

  const DAMAGES: readonly (readonly [what: string, damage: (pin: Record<string, unknown>) => string])[] = [
    ['of a version before', (pin) => JSON.stringify({ ...pin, v: 0 })],
    ['of a version to come', (pin) => JSON.stringify({ ...pin, v: 2, more: true })],
    ['without a version', ({ v: _v, ...pin }) => JSON.stringify(pin)],
    ['without its block', ({ block: _block, ...pin }) => JSON.stringify(pin)],
    ['with a member too many', (pin) => JSON.stringify({ ...pin, trusted: true })],
    ['of another provider', (pin) => JSON.stringify({ ...pin, provider: 'other' })],
    [
      'whose block was changed by hand',
      (pin) => JSON.stringify({ ...pin, block: { ...Object(pin['block']), models: [] } }),
    ],
    ['whose digest was changed by hand', (pin) => JSON.stringify({ ...pin, digest: 'sha256:00' })],
    ['cut short', (pin) => canonicalJson(pin).slice(0, -20)],
    ['that is empty', () => ''],
    ['that is a list', () => '[]'],
  ];

  it.each(DAMAGES)('%s is asked again and not trusted in part', async (_what, damage) => {
    await pinFirst(written(await blockOf()));
    writeFileSync(pinFile(), damage(JSON.parse(readFileSync(pinFile(), 'utf8')) as Record<string, unknown>));
    const consent = await judged({});
    expect(consent.kind).toBe('unknown');
    expect(consentRefusal(consent, 'acme')).toMatchObject({ code: 'CONSENT_CHANGED', facts: { changed: 'pin' } });
    expect(await pinFirst(written(await blockOf()))).toBe(false);
  });

  it('that others may read or that is a link is refused, not read', async () => {
    await pinFirst(written(await blockOf()));
    chmodSync(pinFile(), 0o644);
    expect((await refusalOf(readConsentPin(place()))).code).toBe('CONFIG_UNSAFE');
    chmodSync(pinFile(), 0o600);
    await removePin(place());
    const elsewhere = join(made.machineFolder, 'elsewhere.json');
    writeFileSync(elsewhere, '{}', { mode: 0o600 });
    symlinkSync(elsewhere, pinFile());
    expect((await refusalOf(readConsentPin(place()))).code).toBe('CONFIG_UNSAFE');
  });
});
