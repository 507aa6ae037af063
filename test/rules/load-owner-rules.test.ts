/** The owner's folder: our JSON and gitleaks TOML, always additive, never silently less. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOwnerRules } from '../../src/rules/load-owner-rules.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'owner-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);

const TOML = `
title = "ours"
[extend]
useDefault = true
[allowlist]
regexes = ["EXAMPLE"]
[[rules]]
id = "Acme-Token"
description = "Acme"
regex = '''acme_([a-z0-9]{20})'''
keywords = ["acme_"]
entropy = 2.5
[[rules]]
id = "whole"
regex = '''(a)(b)whole-[0-9]{9}'''
[[rules]]
id = "pkcs12"
path = '''\\.p12$'''
`;

describe('loadOwnerRules', () => {
  it('reads our JSON without asking for examples', () => {
    put(
      'a.json',
      JSON.stringify({
        family: 'secret',
        rules: [{ id: 'acme', kind: 'token:acme', severity: 'block', pattern: 'acme_[a-z]{9}', group: 0 }],
      }),
    );
    expect(loadOwnerRules(folder).rules).toMatchObject([{ id: 'own.acme', kind: 'token:acme', filters: [] }]);
  });

  it('reads gitleaks TOML: group, entropy and id, and notes what it leaves out', () => {
    put('gitleaks.toml', TOML);
    const { rules, notes } = loadOwnerRules(folder);
    expect(rules.map(({ id, group, filters }) => ({ id, group, filters }))).toEqual([
      { id: 'own.acme-token', group: 1, filters: [{ kind: 'entropy', least: 2.5 }] },
      { id: 'own.whole', group: 0, filters: [] },
    ]);
    expect(notes.join('\n')).toMatch(/allowlist, extend left out/);
    expect(notes.join('\n')).toMatch(/"pkcs12": it names paths/);
  });

  it('adds nothing for a file with only an allow list', () => {
    put('gitleaks.toml', '[allowlist]\nregexes = ["x"]\n');
    expect(loadOwnerRules(folder).rules).toEqual([]);
  });

  it.each<[string, string, string, RegExp]>([
    ['TOML that does not parse', 'a.toml', '[[', /a\.toml.*not TOML/],
    ['a pattern RE2 cannot compile', 'a.toml', '[[rules]]\nid="x"\nregex="(?=a)b"', /a\.toml, rule "x": RE2 cannot/],
    ['a rule without an id', 'a.toml', '[[rules]]\nregex="abc"', /rules\[0\]: id must be/],
    ['a group that is not there', 'a.toml', '[[rules]]\nid="x"\nregex="abc"\nsecretGroup=2', /secretGroup/],
    [
      'a group that is not there, in our form',
      'a.json',
      '{"family":"secret","rules":[{"id":"x","kind":"token:x","severity":"block","pattern":"a(b)c","group":2}]}',
      /a\.json, rule "x": "group" is 2, and the pattern has one group/,
    ],
    [
      'a rule that matches a placeholder',
      'a.toml',
      '[[rules]]\nid="x"\nregex="blank"',
      /a\.toml, rule "x": it matches "\[blanked"/,
    ],
    [
      'a JSON pattern RE2 cannot compile, by its file and id',
      'a.json',
      JSON.stringify({
        family: 'secret',
        rules: [{ id: 'acme', kind: 'token:acme', severity: 'block', pattern: '(?=a)b', group: 0 }],
      }),
      /a\.json, rule "acme": RE2 cannot/,
    ],
    ['JSON that is not a rule file', 'a.json', '[]', /a\.json.*must hold one object/],
  ])('refuses %s', (_title, name, text, message) => {
    put(name, text);
    expect(() => loadOwnerRules(folder)).toThrow(message);
  });

  it('refuses one id in two files', () => {
    put('a.toml', '[[rules]]\nid="x"\nregex="abc-[0-9]{9}"');
    put('b.toml', '[[rules]]\nid="x"\nregex="abd-[0-9]{9}"');
    expect(() => loadOwnerRules(folder)).toThrow(/"x" stands in a\.toml and in b\.toml/);
  });

  it('refuses a folder that is not there', () => {
    expect(() => loadOwnerRules(join(folder, 'absent'))).toThrow(/coldseal\.rules_dir/);
  });
});
