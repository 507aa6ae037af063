/** Rule files that do not load: every fault names file, rule and member. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';

const folder = mkdtempSync(join(tmpdir(), 'rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD = {
  id: 'thing',
  kind: 'token:thing',
  severity: 'block',
  description: 'A thing.',
  pattern: 'thing_[a-z]{9}',
  group: 0,
  examples: ['a', 'b'],
  counterexamples: ['c', 'd'],
  source: 'a manual',
};

const write = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

const refusal = (path: string): ColdsealError => {
  try {
    loadRuleSet(path);
  } catch (error) {
    if (error instanceof ColdsealError) return error;
    throw error;
  }
  throw new Error('the file loaded');
};

describe('a rule file is refused', () => {
  it.each<[string, unknown, RegExp]>([
    ['that is not JSON', '{', /one\.json.*not JSON/],
    ['that is a list', [], /must hold one object/],
    ['with an unknown family', { family: 'x', rules: [] }, /"family" must be one of/],
    ['with an unknown member', { family: 'secret', rules: [], extra: 1 }, /"extra" is not known/],
    ['whose rule has no id', { family: 'secret', rules: [{}] }, /rules\[0\].*"id"/],
    ['whose id has capitals', { family: 'secret', rules: [{ ...GOOD, id: 'Thing' }] }, /"Thing".*"id"/],
    ['with an unknown rule member', { family: 'secret', rules: [{ ...GOOD, keywords: [] }] }, /"thing".*"keywords"/],
    ['with a foreign kind', { family: 'secret', rules: [{ ...GOOD, kind: 'net:x' }] }, /"thing".*"kind"/],
    ['with a foreign severity', { family: 'secret', rules: [{ ...GOOD, severity: 'high' }] }, /"severity"/],
    ['with a group that is no number', { family: 'secret', rules: [{ ...GOOD, group: '1' }] }, /"group"/],
    ['with one example', { family: 'secret', rules: [{ ...GOOD, examples: ['a'] }] }, /"examples".*at least 2/],
    ['without a source', { family: 'secret', rules: [{ ...GOOD, source: '' }] }, /"source"/],
    [
      'with an unknown filter',
      { family: 'secret', rules: [{ ...GOOD, filters: [{ kind: 'x' }] }] },
      /filters\[0\].*"kind" must be one of/,
    ],
    [
      'with a filter member too many',
      { family: 'secret', rules: [{ ...GOOD, filters: [{ kind: 'not-reference', least: 1 }] }] },
      /"least" is not known/,
    ],
    [
      'with an unknown checksum',
      { family: 'secret', rules: [{ ...GOOD, filters: [{ kind: 'checksum', algorithm: 'md5' }] }] },
      /"algorithm" must be one of/,
    ],
    [
      'with an unknown judgement',
      { family: 'secret', rules: [{ ...GOOD, filters: [{ kind: 'judge', name: 'x' }] }] },
      /"name" must be one of/,
    ],
    ['with one id twice', { family: 'secret', rules: [GOOD, GOOD] }, /"thing" stands twice/],
    ['with no rule', { family: 'secret', rules: [] }, /no rules stand in/],
  ])('%s', (_title, content, message) => {
    const error = refusal(write('one.json', content));
    expect(error.code).toBe('SCANNER_DEGRADED');
    expect(error.message).toMatch(message);
  });

  it('that is not there', () => {
    expect(refusal(join(folder, 'absent.json')).message).toMatch(/cannot be read/);
  });
});

describe('a rule set', () => {
  const named = (id: string) => ({ ...GOOD, id });

  it('stands bytewise by id, over all files of a folder', () => {
    const own = mkdtempSync(join(tmpdir(), 'rules-'));
    writeFileSync(join(own, 'a.json'), JSON.stringify({ family: 'secret', rules: [named('b'), named('a-b')] }));
    writeFileSync(join(own, 'b.json'), JSON.stringify({ family: 'secret', rules: [named('a.b'), named('0')] }));
    expect(loadRuleSet(own).rules.map(({ id }) => id)).toEqual(['0', 'a-b', 'a.b', 'b']);
    rmSync(own, { recursive: true });
  });

  it.each<[string, object, boolean]>([
    ['a description', { description: 'Other words.' }, true],
    ['an example', { examples: ['x', 'y', 'z'] }, true],
    ['a pattern', { pattern: 'thing_[a-z]{10}' }, false],
    ['a severity', { severity: 'warn' }, false],
    ['a filter', { filters: [{ kind: 'not-reference' }] }, false],
  ])('has a digest over what decides a finding: changing %s keeps it: %s', (_title, changes, keeps) => {
    const before = loadRuleSet(write('before.json', { family: 'secret', rules: [GOOD] })).digest;
    const after = loadRuleSet(write('after.json', { family: 'secret', rules: [{ ...GOOD, ...changes }] })).digest;
    expect(before === after).toBe(keeps);
  });
});
