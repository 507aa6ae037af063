/** Filters judge the whole value. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/contract/rule.js';
import { compileFilters } from '../../src/rules/compile-filters.js';
import { expandExample } from '../../src/rules/expand-example.js';

const passes = (filters: readonly Filter[], template: string): boolean => {
  const value = Buffer.from(expandExample(template, 'filters'), 'utf8');
  const text = Buffer.concat([Buffer.from('é = "'), value, Buffer.from('"')]);
  return compileFilters(filters)(text, 6, 6 + value.length);
};

describe('a filter', () => {
  it.each<[string, Filter, string, boolean]>([
    ['not-word drops the word in any letter case', { kind: 'not-word', words: ['hook'] }, 'HOOK', false],
    [
      'not-word keeps a value that contains the word',
      { kind: 'not-word', words: ['hook'] },
      '{mixed:28}hook{mixed:28}',
      true,
    ],
    ['not-match compares the whole value', { kind: 'not-match', pattern: 'test|x+' }, 'xxxx', false],
    ['not-match keeps a value that only contains it', { kind: 'not-match', pattern: 'test|x+' }, 'test{mixed:9}', true],
    ['classes counts four', { kind: 'classes', least: 4 }, 'aB3-', true],
    ['classes finds one missing', { kind: 'classes', least: 4 }, 'aB3c', false],
    ['entropy of one letter again and again is nothing', { kind: 'entropy', least: 1 }, 'aaaaaaaa', false],
    ['entropy of a draw is high', { kind: 'entropy', least: 3 }, '{hex:40}', true],
    ['rarity drops a name', { kind: 'rarity', least: 0 }, 'getElementsByClassName', false],
    ['rarity keeps a draw', { kind: 'rarity', least: 14 }, '{hex:40}', true],
    ['not-reference drops a template', { kind: 'not-reference' }, '\x24{TOKEN}', false],
    ['a wrong checksum drops nothing', { kind: 'checksum', algorithm: 'base62-crc32' }, 'ghp_{base62:36}', true],
    ['judge private-ipv4', { kind: 'judge', name: 'private-ipv4' }, '10.1.2.3', true],
    ['judge public-ipv4 leaves documentation', { kind: 'judge', name: 'public-ipv4' }, '198.51.100.7', false],
    ['judge public-ipv4 leaves object identifiers', { kind: 'judge', name: 'public-ipv4' }, '2.5.29.17', false],
    ['judge telling-ipv6 leaves documentation', { kind: 'judge', name: 'telling-ipv6' }, '2001:db8::1', false],
    ['judge telling-ipv6 takes global unicast', { kind: 'judge', name: 'telling-ipv6' }, '2a01:4f8::5', true],
    ['judge telling-mac leaves documentation', { kind: 'judge', name: 'telling-mac' }, '00:00:5e:00:53:af', false],
    ['judge token-like drops an integrity value', { kind: 'judge', name: 'token-like' }, 'sha512-{base64:86}==', false],
    ['judge token-like drops an algorithm', { kind: 'judge', name: 'token-like' }, 'aes-256-gcm', false],
    [
      'judge token-like drops a name with digits',
      { kind: 'judge', name: 'token-like' },
      'NL80211_CMD_ASSOCIATE',
      false,
    ],
    ['judge token-like drops a constant', { kind: 'judge', name: 'token-like' }, 'NUM_NL80211_PKTPAT', false],
    [
      'judge token-like drops an id of a type and a time',
      { kind: 'judge', name: 'token-like' },
      'msg_01{base58:22}',
      false,
    ],
    ['judge token-like keeps a token of that shape', { kind: 'judge', name: 'token-like' }, 'acme_{mixed:24}', true],
    ['judge token-like drops an algorithm of two parts', { kind: 'judge', name: 'token-like' }, 'scram-sha-256', false],
    [
      'judge vendor-value drops a path of numbered words',
      { kind: 'judge', name: 'vendor-value' },
      'cp1133/Compose',
      false,
    ],
    [
      'judge vendor-value keeps a draw with a slash',
      { kind: 'judge', name: 'vendor-value' },
      '{mixed:14}/{mixed:14}',
      true,
    ],
    ['judge password-like drops an anonymous login', { kind: 'judge', name: 'password-like' }, '-anonymous@', false],
    ['not-behind drops what stands behind the name', { kind: 'not-behind', pattern: ' = "' }, '{mixed:20}', false],
    [
      'not-behind keeps what stands behind another',
      { kind: 'not-behind', pattern: '(?i)nonce = "' },
      '{mixed:20}',
      true,
    ],
    ['judge token-like keeps a typed secret', { kind: 'judge', name: 'token-like' }, 'Harbor{digits:4}!', true],
    [
      'judge token-like keeps a letter typed as a digit',
      { kind: 'judge', name: 'token-like' },
      'P@ssw0rd{digits:2}',
      true,
    ],
    ['judge token-like drops a few small letters', { kind: 'judge', name: 'token-like' }, 'fmfw_key', false],
    ['judge token-like drops a nested name', { kind: 'judge', name: 'token-like' }, 'Outer12$Inner', false],
    [
      'judge vendor-value keeps a key in groups',
      { kind: 'judge', name: 'vendor-value' },
      'A{upper:2}{digits:1}-{digits:1}{upper:3}-{upper:2}{digits:1}{upper:1}-{upper:4}',
      true,
    ],
    ['judge vendor-value drops a cipher', { kind: 'judge', name: 'vendor-value' }, 'AES-256-GCM-SHA384', false],
    ['judge token-like keeps a UUID', { kind: 'judge', name: 'token-like' }, '{uuid}', true],
    ['judge password-like drops a version', { kind: 'judge', name: 'password-like' }, '^1.7.1', false],
    ['judge password-like drops a selector', { kind: 'judge', name: 'password-like' }, '#add-password', false],
    [
      'judge password-like drops words with a number',
      { kind: 'judge', name: 'password-like' },
      'secret-2-levels',
      false,
    ],
    ['judge password-like drops an e-mail address', { kind: 'judge', name: 'password-like' }, 'a@example.org', false],
    ['judge password-like keeps a typed one', { kind: 'judge', name: 'password-like' }, '{strong:9}', true],
    ['judge vendor-value drops a path', { kind: 'judge', name: 'vendor-value' }, 'api.example.com/v1/keys/list', false],
    [
      'judge vendor-value keeps a counted sample',
      { kind: 'judge', name: 'vendor-value' },
      'abcdef1234567890abcdef',
      true,
    ],
    ['judge word-password keeps two words', { kind: 'judge', name: 'word-password' }, 'open-sesame', true],
    ['judge word-password drops a label', { kind: 'judge', name: 'word-password' }, 'passwordfield', false],
  ])('%s', (_title, filter, template, expected) => {
    expect(passes([filter], template)).toBe(expected);
  });

  it('is met by any value when there is none', () => {
    expect(passes([], 'x')).toBe(true);
  });

  it('must be met together with the others', () => {
    const both: Filter[] = [
      { kind: 'classes', least: 2 },
      { kind: 'entropy', least: 3 },
    ];
    expect(passes(both, '{mixed:20}')).toBe(true);
    expect(passes(both, '{lower:20}')).toBe(false);
  });

  it('answers for any bytes, and for a value as long as an item', () => {
    const filters: Filter[] = [
      { kind: 'not-reference' },
      ...['token-like', 'password-like', 'vendor-value', 'word-password'].map(
        (name): Filter => ({ kind: 'judge', name }),
      ),
    ];
    const each = filters.map((filter) => compileFilters([filter]));
    const answers = (bytes: Uint8Array): boolean =>
      each.every((one) => typeof one(bytes, 0, bytes.length) === 'boolean');
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), answers));
    for (const piece of ['a', 'a.', 'a-', '->', '\x24{', '((', 'x.y[', '%', 'aA1']) {
      expect(answers(Buffer.from(piece.repeat(1_000_000)))).toBe(true);
    }
  });
});
