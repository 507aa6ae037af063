/**
 * gitleaks and betterleaks TOML -> rules. Their patterns are Go RE2, which is the syntax used here; what does not compile
 * is named and refused.
 *
 * Allow lists, stop words, paths and `extend` are left out with a note: nothing in such a file may keep a value from being
 * blanked, and the compiled rules always run.
 */
import { parse } from 'smol-toml';
import { ColdsealError } from '../contract/error.js';
import type { Filter, Rule } from '../contract/rule.js';
import { compilePattern } from './compile-pattern.js';

interface Imported {
  readonly rules: readonly Rule[];
  readonly notes: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const slug = (text: string, separator: RegExp): string => text.toLowerCase().replace(separator, '_').slice(0, 72);

const parseToml = (text: string, file: string): Members => {
  try {
    return parse(text);
  } catch (cause) {
    throw new ColdsealError('SCANNER_DEGRADED', `rule file ${file}: this is not TOML. Correct it and run again.`, {
      cause,
    });
  }
};

/** gitleaks takes the first group that matched; one group is that one, with several the whole match goes. */
const secretGroup = (rule: Members, groups: number, where: string): number => {
  const named = rule['secretGroup'];
  if (named === undefined || named === 0) return groups === 1 ? 1 : 0;
  if (typeof named !== 'number' || !Number.isInteger(named) || named < 0 || named > groups) {
    throw new ColdsealError('SCANNER_DEGRADED', `${where}: secretGroup is not a group of the pattern.`);
  }
  return named;
};

const ruleOf = (rule: Members, file: string, at: number, notes: string[]): Rule | null => {
  const id = rule['id'];
  if (typeof id !== 'string' || id === '') {
    throw new ColdsealError('SCANNER_DEGRADED', `rule file ${file}, rules[${at}]: id must be a text.`);
  }
  const where = `rule file ${file}, rule "${id}"`;
  const pattern = rule['regex'];
  if (pattern === undefined && rule['path'] !== undefined) {
    notes.push(`${where}: it names paths and no pattern; use coldseal withhold add GLOB for paths.`);
    return null;
  }
  if (typeof pattern !== 'string' || pattern === '') {
    throw new ColdsealError('SCANNER_DEGRADED', `${where}: regex must be a text that is not empty.`);
  }
  const program = compilePattern(pattern, where);
  const groups = (compilePattern(`${program.source}|`, where).exec('')?.length ?? 1) - 1;
  const entropy = rule['entropy'];
  const filters: Filter[] = typeof entropy === 'number' && entropy > 0 ? [{ kind: 'entropy', least: entropy }] : [];
  const description = rule['description'];
  return {
    id: slug(id, /[^a-z0-9._-]+/g),
    kind: `token:${slug(id, /[^a-z0-9_]+/g)}`,
    family: 'secret',
    severity: 'block',
    description: typeof description === 'string' ? description : '',
    pattern,
    group: secretGroup(rule, groups, where),
    filters,
    source: `the owner's ${file}`,
  };
};

/** Members of a file or a rule that would make a finding stay, or that mean nothing here. */
const LEFT_OUT = ['allowlist', 'allowlists', 'extend', 'required', 'validate', 'filter', 'prefilter'];

const noteLeftOut = (members: Members, where: string, notes: string[]): void => {
  const found = LEFT_OUT.filter((name) => members[name] !== undefined);
  if (found.length > 0) notes.push(`${where}: ${found.join(', ')} left out; the owner's rules only add.`);
};

/** The rules of one TOML text. Throws `SCANNER_DEGRADED` naming file and rule. */
export const importLeaksToml = (text: string, file: string): Imported => {
  const members = parseToml(text, file);
  const notes: string[] = [];
  noteLeftOut(members, `rule file ${file}`, notes);
  const listed = members['rules'] ?? [];
  if (!Array.isArray(listed) || !listed.every(isTable)) {
    throw new ColdsealError('SCANNER_DEGRADED', `rule file ${file}: rules must be a list of tables.`);
  }
  const rules: Rule[] = [];
  for (const [at, table] of listed.entries()) {
    const rule = ruleOf(table, file, at, notes);
    noteLeftOut(table, `rule file ${file}, rules[${at}]`, notes);
    if (rule !== null) rules.push(rule);
  }
  return { rules, notes };
};
