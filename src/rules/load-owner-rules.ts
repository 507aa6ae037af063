/**
 * The owner's own rules: every `*.json` (our form) and `*.toml` (gitleaks, betterleaks) of one folder. Always additive: a
 * file with nothing but an allow list adds nothing and takes nothing away (gitleaks#876).
 *
 * A file that does not load refuses the run. A rule that is silently missing is the one the owner wrote because it matters.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import type { Rule } from '../contract/rule.js';
import { compilePattern } from './compile-pattern.js';
import { findWithRule } from './find-with-rule.js';
import { importLeaksToml } from './import-leaks-toml.js';
import { bytewiseById } from './load-rule-set.js';
import { refusePlaceholderRule } from './refuse-placeholder-rule.js';
import { parseRuleFile } from './rule-file.js';

export interface OwnerRules {
  /** Bytewise by id; ids start with `own.`, so they can never stand for a compiled one. */
  readonly rules: readonly Rule[];
  /** Lines for stderr: what of an imported file has no meaning here and was left out. */
  readonly notes: readonly string[];
}

const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `owner's rule file ${path} cannot be read. Correct its owner and mode.`,
      {
        cause,
      },
    );
  }
};

const rulesOfFile = (folder: string, name: string): OwnerRules => {
  const text = readFile(join(folder, name));
  if (name.endsWith('.toml')) return importLeaksToml(text, name);
  const rules = parseRuleFile(text, name, 'owner').map(
    ({ examples: _examples, counterexamples: _counterexamples, ...rule }) => rule,
  );
  return { rules, notes: [] };
};

/** A group that is not there would find nothing and say nothing. */
const refuseMissingGroup = (owner: string, { pattern, group }: Rule): void => {
  const groups = (compilePattern(`${pattern}|`, owner).exec('')?.length ?? 1) - 1;
  if (group <= groups) return;
  const have = groups === 0 ? 'no group' : groups === 1 ? 'one group' : `${groups} groups`;
  throw new ColdsealError(
    'SCANNER_DEGRADED',
    `${owner}: "group" is ${group}, and the pattern has ${have}. Correct it.`,
  );
};

/**
 * Loads `folder`. Throws `SCANNER_DEGRADED` naming file, rule and fault: unreadable, malformed, not RE2, an id twice, a
 * rule that matches `[blanked`.
 */
export const loadOwnerRules = (folder: string): OwnerRules => {
  let names: readonly string[];
  try {
    names = readdirSync(folder)
      .filter((name) => name.endsWith('.json') || name.endsWith('.toml'))
      .sort();
  } catch (cause) {
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `the owner's rules folder ${folder} cannot be read. Correct coldseal.rules_dir in the machine file.`,
      { cause },
    );
  }
  const rules: Rule[] = [];
  const notes: string[] = [];
  const seen = new Map<string, string>();
  for (const name of names) {
    const loaded = rulesOfFile(folder, name);
    for (const note of loaded.notes) notes.push(note);
    for (const found of loaded.rules) {
      const rule: Rule = { ...found, id: `own.${found.id}` };
      const other = seen.get(rule.id);
      if (other !== undefined) {
        throw new ColdsealError(
          'SCANNER_DEGRADED',
          `owner's rule "${found.id}" stands in ${other} and in ${name}. Give one of the two another id.`,
        );
      }
      seen.set(rule.id, name);
      const owner = `owner's rule file ${name}, rule "${found.id}"`;
      const find = findWithRule(rule, owner);
      refuseMissingGroup(owner, rule);
      refusePlaceholderRule(owner, find);
      rules.push(rule);
    }
  }
  return { rules: rules.sort(bytewiseById), notes };
};
