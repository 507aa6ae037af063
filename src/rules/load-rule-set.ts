/**
 * Rule files -> one rule set: bytewise by id, with the digest of everything that decides a finding.
 *
 * Descriptions, sources and examples stay out of the digest: correcting a sentence must not look like a change of what
 * is blanked.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import type { Filter, Rule } from '../contract/rule.js';
import { type DocumentedRule, type LoadedRuleSet, parseRuleFile, type RuleFileOrigin } from './rule-file.js';

/** Order of rules everywhere: by the bytes of their id. */
export const bytewiseById = (a: Rule, b: Rule): number => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));

const filterFacts = (filter: Filter): unknown =>
  Object.fromEntries(Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1)));

/** `sha256:` + hex over the canonical JSON of `rules`, which must stand in their fixed order. */
export const digestRules = (rules: readonly Rule[]): string => {
  const facts = rules.map((rule) => [
    rule.id,
    rule.family,
    rule.kind,
    rule.severity,
    rule.pattern,
    rule.group,
    rule.filters.map(filterFacts),
  ]);
  return `sha256:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`;
};

const filesOf = (place: string): readonly string[] => {
  try {
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(place, name));
  } catch (cause) {
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `rule files cannot be read at ${place}. Name an existing file or folder.`,
      {
        cause,
      },
    );
  }
};

const readRules = (file: string, origin: RuleFileOrigin): readonly DocumentedRule[] => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ColdsealError('SCANNER_DEGRADED', `rule file ${file} cannot be read. Correct its owner and mode.`, {
      cause,
    });
  }
  return parseRuleFile(text, basename(file), origin);
};

const refuseTwice = (rules: readonly DocumentedRule[]): void => {
  const seen = new Set<string>();
  for (const rule of rules) {
    if (seen.has(rule.id)) {
      throw new ColdsealError('SCANNER_DEGRADED', `rule "${rule.id}" stands twice. Give one of the two another id.`);
    }
    seen.add(rule.id);
  }
};

/**
 * Loads rule files (a path, a folder whose `*.json` are all read, or a list of paths).
 * Throws `SCANNER_DEGRADED` naming file, rule and member; an empty set is refused, because it would call everything clean.
 */
export const loadRuleSet = (
  filesOrFolder: string | readonly string[],
  origin: RuleFileOrigin = 'shipped',
): LoadedRuleSet => {
  const places = typeof filesOrFolder === 'string' ? [filesOrFolder] : filesOrFolder;
  const rules = places.flatMap(filesOf).flatMap((file) => readRules(file, origin));
  if (rules.length === 0) {
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `no rules stand in ${places.join(', ')}. Name the folder of rule files.`,
    );
  }
  refuseTwice(rules);
  const ordered = [...rules].sort(bytewiseById);
  return { rules: ordered, digest: digestRules(ordered) };
};
