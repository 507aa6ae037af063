/** Made-up tokens carry right checksums, and one changed character breaks them. */
import { describe, expect, it } from 'vitest';
import { checksumHolds, luhnCheckDigit } from '../../src/rules/checksums.js';
import { expandExample } from '../../src/rules/expand-example.js';

const changed = (token: string): string => {
  const at = token.length - 12;
  return token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1);
};

describe('checksums', () => {
  it.each([
    ['base62-crc32', '{github:ghp}'],
    ['base62-crc32', '{github:gho}'],
    ['base62-crc32', '{npm}'],
    ['gitlab-routable', '{gitlab:glpat}'],
  ])('%s holds for %s and not for a changed one', (algorithm, template) => {
    const token = expandExample(template, 'checksum');
    expect(checksumHolds(algorithm, token)).toBe(true);
    expect(checksumHolds(algorithm, changed(token))).toBe(false);
  });

  it('luhn holds for a made-up number and not for its neighbour', () => {
    const digits = expandExample('{luhn:16}', 'checksum');
    expect(checksumHolds('luhn', digits)).toBe(true);
    expect(checksumHolds('luhn', digits.slice(0, -1) + ((Number(digits.slice(-1)) + 1) % 10))).toBe(false);
  });

  it('the Luhn digit of the textbook number 7992739871 is 3', () => {
    expect(luhnCheckDigit('7992739871')).toBe('3');
  });

  it('an unknown algorithm holds for nothing', () => {
    expect(checksumHolds('md5', 'x')).toBe(false);
  });
});
