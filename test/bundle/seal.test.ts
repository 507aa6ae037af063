import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Approved, approvalDigest } from '../../src/bundle/approval-digest.js';
import { blank } from '../../src/bundle/blank.js';
import type { BundleDescription } from '../../src/bundle/describe-bundle.js';
import { seal } from '../../src/bundle/seal.js';
import { createTally } from '../../src/bundle/tally.js';
import { spanOf, textOf } from '../support/made-texts.js';

const message = blank([Buffer.from('the message')], new Map()).bytes;
const system = blank([Buffer.from('the system message')], new Map()).bytes;
const described = (more: Partial<BundleDescription> = {}): BundleDescription => ({
  kind: 'change_review',
  listOrigin: 'compiled',
  project: 'a'.repeat(40),
  range: { base: 'b'.repeat(40), head: 'c'.repeat(40) },
  items: [],
  deleted: [],
  deletedBlanked: [],
  bytes: message.length,
  rawBytes: 20,
  cap: { bytes: message.length, origin: 'project', key: 'oracle.bundles.cap' },
  digest: '',
  blanked: [],
  unscannedAtAssembly: null,
  scannedNow: null,
  ...more,
});

describe('seal', () => {
  it('names a bundle by the digest of its message and freezes it', () => {
    const bundle = seal(described(), { message, system });
    expect(bundle.digest).toBe(`sha256:${createHash('sha256').update('the message').digest('hex')}`);
    expect(bundle.message).toBe(message);
    expect(Object.isFrozen(bundle)).toBe(true);
  });

  it('seals exactly at the cap and not one byte over it', () => {
    const cap = { ...described().cap, bytes: message.length - 1 };
    expect(() => seal(described(), { message, system })).not.toThrow();
    expect(() => seal(described({ cap }), { message, system })).toThrow(/cannot be sealed under a cap of 10 bytes/);
  });
});

describe('approvalDigest', () => {
  const endpoint = { baseUrl: 'https://api.example.com/v1', host: 'api.example.com', port: 443, remote: true };
  const provider = { name: 'p', endpoint, credential: 'key', resolve: {}, caFile: null, usageChunk: true, spawn: null };
  const approved: Approved = {
    provider,
    model: 'm',
    settings: { temperature: 0, seed: 1 },
    system,
    bundle: described(),
  };
  const changed: readonly [string, Approved][] = [
    ['the provider’s name', { ...approved, provider: { ...provider, name: 'q' } }],
    [
      'the address',
      { ...approved, provider: { ...provider, endpoint: { ...endpoint, baseUrl: 'https://b.example.com' } } },
    ],
    [
      'where the host resolves',
      { ...approved, provider: { ...provider, resolve: { 'api.example.com': '192.0.2.1' } } },
    ],
    ['the certificate file', { ...approved, provider: { ...provider, caFile: '/ca.pem' } }],
    ['the credential', { ...approved, provider: { ...provider, credential: null } }],
    ['the model', { ...approved, model: 'n' }],
    ['a setting', { ...approved, settings: { temperature: 1, seed: 1 } }],
    ['the system message', { ...approved, system: message }],
    ['the kind', { ...approved, bundle: described({ kind: 'source_question' }) }],
    ['who made the list', { ...approved, bundle: described({ listOrigin: 'owner' }) }],
    ['the project', { ...approved, bundle: described({ project: null }) }],
    ['the cap', { ...approved, bundle: described({ cap: { ...described().cap, bytes: 99 } }) }],
    ['the bundle', { ...approved, bundle: described({ digest: 'sha256:1' }) }],
  ];

  it.each(changed)('is another one when %s changes', (_what, other) => {
    expect(approvalDigest(other)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(approvalDigest(other)).not.toBe(approvalDigest(approved));
  });

  it('does not depend on the order in which settings were written', () => {
    expect(approvalDigest({ ...approved, settings: { seed: 1, temperature: 0 } })).toBe(approvalDigest(approved));
  });
});

describe('createTally', () => {
  it('counts texts as blanked, passes only over the limit, and does not depend on order', () => {
    const texts = [
      textOf('x'.repeat(100), { spans: [spanOf(0, 90, { valueId: 7 })] }),
      textOf('y'.repeat(30)),
      textOf('', {}),
    ];
    const limit = 10 + '[blanked token:test #1]'.length + 30;
    for (const order of [texts, [...texts].reverse()]) {
      const exact = createTally(limit);
      const under = createTally(limit - 1);
      for (const text of order) {
        exact.add(text);
        under.add(text);
      }
      expect([exact.blankedBytes, exact.isPassed, under.isPassed]).toEqual([limit, false, true]);
    }
  });
});
