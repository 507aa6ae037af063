import { beforeAll, describe, expect, it } from 'vitest';
import { admit } from '../../src/admission/admit.js';
import { chooseProject } from '../../src/admission/choose-project.js';
import { chooseRoute } from '../../src/admission/choose-route.js';
import {
  type Destination,
  destinationDigest,
  destinationOf,
  requireSameConsent,
} from '../../src/admission/destination.js';
import type { KindName } from '../../src/contract/item.js';
import type { Settings } from '../../src/contract/settings.js';
import { PROVIDERS, refusalIn, settingsOf } from './made-settings.js';

const ROOT = 'b'.repeat(40);

function admitted(settings: Settings, agent: string, kind: KindName, target: string): void {
  const { route } = chooseRoute({ agent, typed: [`${agent}=${target}`], settings });
  admit({ route, kind, settings });
}

describe('admission', () => {
  let unlisted: Settings;
  let listed: Settings;
  beforeAll(async () => {
    unlisted = await settingsOf({ oracle: { api: PROVIDERS, bundled_context_providers: ['keyless'] } });
    listed = await settingsOf({ oracle: { api: PROVIDERS, bundled_context_providers: ['acme'] } });
  });

  it.each<[agent: string, kind: KindName]>([
    ['change-reviewer', 'change_review'],
    ['source-reader', 'source_question'],
    ['intent-auditor', 'intent_audit'],
    ['intent-auditor', 'intent_consistency'],
    ['release-changelog-composer', 'release_changelog'],
  ])('needs the owner’s override for %s (%s), keyed or keyless', (agent, kind) => {
    const refusal = refusalIn(() => admitted(unlisted, agent, kind, 'acme/vendor/large'));
    expect(refusal.code).toBe('NOT_BUNDLED_CONTEXT');
    for (const named of [
      'DR5',
      'oracle.bundled_context_providers',
      unlisted.machineFile,
      `--route ${agent}=host-decides`,
    ]) {
      expect(refusal.message).toContain(named);
    }
    expect(refusalIn(() => admitted(listed, agent, kind, 'keyless/open')).code).toBe('NOT_BUNDLED_CONTEXT');
    expect(() => admitted(listed, agent, kind, 'acme/vendor/large')).not.toThrow();
    expect(() => admitted(unlisted, agent, kind, 'keyless/open')).not.toThrow();
  });

  it.each(['widening', 'entailment', 'comparative', 'detection'])('needs none for a cold reading: %s', (position) => {
    expect(() => admitted(unlisted, `cold-reading-${position}`, 'reading', 'acme/vendor/large')).not.toThrow();
  });

  it.each(['here/tiny', 'keyed/tiny', 'host-decides'])('asks nothing of what stays on this machine: %s', (target) => {
    expect(() => admitted(unlisted, 'change-reviewer', 'change_review', target)).not.toThrow();
  });

  it('gives no agent a kind that it has not', () => {
    const refusal = refusalIn(() => admitted(listed, 'change-reviewer', 'intent_audit', 'acme/vendor/large'));
    expect(refusal.code).toBe('NO_KIND');
    const route = { kind: 'host', agent: 'spec-writer', origin: 'none' } as const;
    expect(refusalIn(() => admit({ route, kind: 'change_review', settings: listed })).code).toBe('NO_KIND');
  });

  it('judges the model again by the settings it is given', async () => {
    const { route } = chooseRoute({
      agent: 'change-reviewer',
      typed: ['change-reviewer=acme/vendor/large'],
      settings: listed,
    });
    const denied = await settingsOf({
      oracle: { api: PROVIDERS, bundled_context_providers: ['acme'], denylist: ['vendor/*'] },
    });
    expect(refusalIn(() => admit({ route, kind: 'change_review', settings: denied })).code).toBe('MODEL_DENIED');
  });
});

interface Block {
  readonly api?: unknown;
  readonly denylist?: readonly string[];
  readonly listed?: readonly string[];
  readonly role?: string;
  readonly bundles?: unknown;
  readonly own?: unknown;
}

const machine = (block: Block = {}): Promise<Settings> =>
  settingsOf({
    oracle: {
      api: block.api ?? PROVIDERS,
      roles: { 'change-reviewer': block.role ?? 'acme/vendor/large' },
      bundled_context_providers: block.listed ?? ['acme'],
      denylist: block.denylist ?? ['x/*', 'y'],
      bundles: block.bundles ?? { cap: 1000, projects: { [ROOT]: { kinds: { change_review: ['diff'] } } } },
    },
    coldseal: block.own ?? { providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' } } } },
  });

const reading = (settings: Settings) =>
  ({ agent: 'change-reviewer', typed: [], kind: 'change_review', roots: [ROOT], shallow: false, settings }) as const;

function planned(settings: Settings): Destination {
  const { route } = chooseRoute(reading(settings));
  const project = chooseProject({ roots: [ROOT], shallow: false, settings });
  return destinationOf({ route, kind: 'change_review', project, settings });
}

const withOwn = (more: Readonly<Record<string, unknown>>): Block => ({
  own: { providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' } } }, ...more },
});

describe('the second reading of the machine file', () => {
  const { acme, ...others } = PROVIDERS;

  it.each<[part: string, block: Block]>([
    ['provider block', { api: { ...others, acme: { ...acme, base_url: 'https://api.example.com/v2' } } }],
    ['provider block', { api: { ...others, acme: { ...acme, key: 'other' } } }],
    ['provider block', { api: { ...others, acme: { ...acme, models: ['vendor/large'] } } }],
    [
      'provider block',
      {
        own: {
          credentials: { acme: { env: 'X' } },
          providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' } } },
        },
      },
    ],
    ['provider block', { own: { providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' }, ca_file: 'x' } } } }],
    ['resolve', { own: { providers: { acme: { resolve: { 'api.example.com': '127.0.0.2' } } } } }],
    ['resolve', { own: {} }],
    ['route', { role: 'acme/vendor/small' }],
    ['list', { bundles: { cap: 1000, projects: { [ROOT]: { kinds: { change_review: ['changed_files'] } } } } }],
    [
      'list',
      { bundles: { cap: 1000, withhold: ['*.md'], projects: { [ROOT]: { kinds: { change_review: ['diff'] } } } } },
    ],
    ['cap', { bundles: { cap: 1001, projects: { [ROOT]: { kinds: { change_review: ['diff'] } } } } }],
    ['cap', { bundles: { projects: { [ROOT]: { kinds: { change_review: ['diff'] } } } } }],
    ['override', { listed: [] }],
    ['denylist', { denylist: ['x/*'] }],
    [
      'model settings',
      { own: { providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' }, settings: { seed: 1 } } } } },
    ],
    ['scanner settings', withOwn({ augmenter: { path: '/opt/second-scanner' } })],
    ['scanner settings', withOwn({ private: [{ id: 'codename', pattern: 'bluebird' }] })],
    ['scanner settings', withOwn({ families: { identity: false } })],
    ['scanner settings', withOwn({ rules_dir: '/opt/rules' })],
  ])('refuses a change of the %s', async (part, block) => {
    const before = planned(await machine());
    const after = await machine(block);
    const refusal = refusalIn(() => requireSameConsent({ ...reading(after), planned: before }));
    expect(refusal.code).toBe('CONSENT_CHANGED');
    expect(refusal.facts['changed']).toBe(part);
  });

  it.each<[now: string, block: Block]>([
    ['now PROVIDER_UNKNOWN', { api: others, own: {} }],
    ['now MODEL_DENIED', { denylist: ['vendor/*'] }],
    ['now MODEL_NOT_LISTED', { api: { ...others, acme: { ...acme, models: ['vendor/small'] } } }],
  ])('refuses what would not be routed at all: %s', async (now, block) => {
    const before = planned(await machine());
    const after = await machine(block);
    const refusal = refusalIn(() => requireSameConsent({ ...reading(after), planned: before }));
    expect(refusal.code).toBe('CONSENT_CHANGED');
    expect(refusal.facts['changed']).toBe(now);
  });

  it.each<[what: string, block: Block]>([
    ['nothing', {}],
    ['the order of a list that has none', { denylist: ['y', 'x/*'], listed: ['keyless', 'acme'] }],
    ['another provider', { api: { ...PROVIDERS, here: { base_url: 'http://localhost:1/', models: ['q'] } } }],
    [
      'another project',
      {
        bundles: {
          cap: 1000,
          projects: { [ROOT]: { kinds: { change_review: ['diff'] } }, ['c'.repeat(40)]: { cap: 1 } },
        },
      },
    ],
    [
      'another kind’s list',
      {
        bundles: {
          cap: 1000,
          projects: { [ROOT]: { kinds: { change_review: ['diff'], source_question: ['path:a'] } } },
        },
      },
    ],
    ['a time limit', { own: { providers: { acme: { timeout: 1000, resolve: { 'api.example.com': '127.0.0.1' } } } } }],
    [
      'the number of threads',
      { own: { threads: 1, providers: { acme: { resolve: { 'api.example.com': '127.0.0.1' } } } } },
    ],
  ])('lets %s change', async (_what, block) => {
    const before = planned(await machine());
    const after = await machine(block);
    expect(() => requireSameConsent({ ...reading(after), planned: before })).not.toThrow();
  });

  it('takes one digest over all parts', async () => {
    const settings = await machine();
    const { route } = chooseRoute(reading(settings));
    const project = chooseProject({ roots: [ROOT], shallow: false, settings });
    const request = { route, kind: 'change_review', project, settings } as const;
    expect(destinationDigest(request)).toBe(destinationOf(request).digest);
    expect(destinationDigest(request)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(destinationDigest({ ...request, kind: 'source_question' })).not.toBe(destinationDigest(request));
  });
});
