/** Rules, texts and profiles for tests of the scanner. Values are made from a seed; no secret-shaped literal stands here. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rule, ScanProfile } from '../../src/contract/rule.js';
import type { ScanBatch } from '../../src/contract/scan.js';

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A small generator (mulberry32): the same numbers for the same seed everywhere. */
export const numbersFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const randomText = (seed: number, length: number, alphabet = BASE62): string => {
  const next = numbersFrom(seed);
  return Array.from({ length }, () => alphabet.charAt(Math.floor(next() * alphabet.length))).join('');
};

/** A value of the test rule `forge-token`. */
export const forgeToken = (seed: number): string => ['fgt', randomText(seed, 36)].join('_');

export const ruleOf = (pattern: string, more: Partial<Rule> = {}): Rule => ({
  id: 'rule',
  kind: 'token:test',
  family: 'secret',
  severity: 'block',
  description: 'A rule of a test.',
  pattern,
  group: 0,
  filters: [],
  source: 'this test',
  ...more,
});

export const FORGE_RULE = ruleOf('fgt_[A-Za-z0-9]{36}', { id: 'forge-token', kind: 'token:forge' });
export const ASSIGN_RULE = ruleOf('(?i)\\bsecret\\s*[:=]\\s*"([^"\\n]{8,80})"', {
  id: 'assigned-secret',
  kind: 'token:assigned',
  group: 1,
});

export const profileOf = (ownerRules: readonly Rule[] = [], digest = 'sha256:test'): ScanProfile => ({
  digest,
  families: ['secret', 'private'],
  identity: { homePaths: [], userNames: [], personNames: [], emails: [] },
  ownerRules,
});

/** A folder with one rule file, as `config/rules` has them. */
export const writeRulesFolder = (rules: readonly Rule[] = [FORGE_RULE, ASSIGN_RULE]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'coldseal-rules-'));
  const documented = rules.map(({ family: _family, ...rule }) => ({
    ...rule,
    examples: ['one', 'two'],
    counterexamples: ['three', 'four'],
  }));
  writeFileSync(join(folder, 'secret.json'), JSON.stringify({ family: 'secret', rules: documented }));
  return folder;
};

/** Texts laid one after the other into shared memory, as the pipeline sends them; `ref` is the index plus `firstRef`. */
export const batchOf = (texts: readonly string[], profile: ScanProfile = profileOf(), firstRef = 0): ScanBatch => {
  const parts = texts.map((text) => Buffer.from(text, 'utf8'));
  const buffer = new SharedArrayBuffer(
    Math.max(
      1,
      parts.reduce((total, part) => total + part.length, 0),
    ),
  );
  let offset = 0;
  const inputs = parts.map((part, index) => {
    new Uint8Array(buffer, offset, part.length).set(part);
    const input = { ref: firstRef + index, offset, length: part.length };
    offset += part.length;
    return input;
  });
  return { task: 'scan', buffer, inputs, profile };
};
