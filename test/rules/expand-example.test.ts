/** Templates expand the same way for the same seed, and leave other braces alone. */
import { describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';

describe('expandExample', () => {
  it.each([
    ['{hex:40}', /^[0-9a-f]{40}$/],
    ['{upper:16}', /^[A-Z]{16}$/],
    ['{digits:12}', /^\d{12}$/],
    ['{base64:60}', /^[A-Za-z0-9+/]{60}$/],
    ['{base62:10-20}', /^[A-Za-z0-9]{10,20}$/],
    ['{words:3}', /^[a-z]+ [a-z]+ [a-z]+$/],
    ['{uuid}', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['{jwt}', /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/],
    ['{github:ghp}', /^ghp_[A-Za-z0-9]{36}$/],
    ['{b64:user:pass}', /^dXNlcjpwYXNz$/],
    ['{unknown:3} {} \x24{X} {a}', /^\{unknown:3\} \{\} \$\{X\} \{a\}$/],
  ])('%s', (template, shape) => {
    expect(expandExample(template, 'seed')).toMatch(shape);
  });

  it('gives the same text for the same seed and another for another', () => {
    expect(expandExample('{hex:40}', 'one')).toBe(expandExample('{hex:40}', 'one'));
    expect(expandExample('{hex:40}', 'one')).not.toBe(expandExample('{hex:40}', 'two'));
  });

  it('puts at least one character of every class into mixed and strong values', () => {
    for (let at = 0; at < 50; at++) {
      expect(expandExample('{strong:9}', `seed ${at}`)).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w]|.*_).{9}$/);
      expect(expandExample('{mixed:9}', `seed ${at}`)).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9]{9}$/);
    }
  });
});
