/** Names and prose are not rare, draws are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { isRare, RARE_BITS, rarityBits } from '../../src/rules/rarity.js';

describe('names, paths and prose are not rare', () => {
  it.each([
    'getElementsByClassName',
    'application/x-www-form-urlencoded',
    'node_modules/some-package/index.js',
    'correct horse battery staple',
    'XMLHttpRequestUpload',
    'ERR_HTTP_HEADERS_SENT',
    'aes-256-gcm',
    'utf8mb4_unicode_ci',
    'Content-Security-Policy-Report-Only',
    '2024-01-31T10:00:00.000Z',
    'user.profile.preferences.password',
    'SHA256withRSAandMGF1',
  ])('%s', (value) => {
    expect(isRare(value)).toBe(false);
  });
});

describe('a draw of 24 or more characters is rare nearly always', () => {
  it.each(['hex', 'alnum', 'base62', 'upperalnum', 'base64', 'base64url', 'lower', 'base58'])('%s', (alphabet) => {
    const rare = Array.from({ length: 400 }, (_, at) => expandExample(`{${alphabet}:32}`, `draw ${at}`)).filter(isRare);
    expect(rare.length).toBeGreaterThanOrEqual(384);
  });
});

describe('the judgement', () => {
  it('is a finite number for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        expect(Number.isFinite(rarityBits(bytes))).toBe(true);
      }),
    );
  });

  it('sees a long random part behind a known prefix', () => {
    expect(rarityBits(Buffer.from(expandExample('key-{hex:32}', 'part')))).toBeGreaterThan(RARE_BITS);
  });

  it('calls nothing at all not rare', () => {
    expect(isRare('')).toBe(false);
  });
});
