/**
 * Reads one rule file: strict JSON members, every fault naming file, rule and member.
 *
 * Validated by hand and not with a schema library, because each scan thread and each cold start of the command line
 * reads these files first.
 */
import { ColdsealError } from '../contract/error.js';
import { FAMILIES, type Family, type Severity } from '../contract/finding.js';
import type { Filter, Rule, RuleSet } from '../contract/rule.js';
import { parseFilter } from './parse-filter.js';

/** A rule with what it is tested by; templates as `expandExample` reads them. */
export interface DocumentedRule extends Rule {
  readonly examples: readonly string[];
  readonly counterexamples: readonly string[];
}

/** What `loadRuleSet` returns: a rule set whose rules can still be checked against their own examples. */
export interface LoadedRuleSet extends RuleSet {
  readonly rules: readonly DocumentedRule[];
}

/** Shipped files must document and exemplify every rule; an owner's may leave that out. */
export type RuleFileOrigin = 'shipped' | 'owner';

type Members = Readonly<Record<string, unknown>>;

const FILE_MEMBERS = ['family', 'rules'];
const RULE_MEMBERS = [
  'id',
  'kind',
  'severity',
  'description',
  'pattern',
  'group',
  'filters',
  'examples',
  'counterexamples',
  'source',
];

/** `token:github_pat`, `pem:private_key`, `net:ipv4`, ... by family. */
const KIND_SHAPES: Readonly<Record<Family, RegExp>> = {
  secret: /^(?:token|pem):[a-z0-9_]+$/,
  identity: /^identity:[a-z0-9_]+$/,
  network: /^net:[a-z0-9_]+$/,
  harness: /^harness:[a-z0-9_]+$/,
  private: /^private:[a-z0-9_.-]+$/,
};

/** Whether `kind` may stand in a placeholder of `family`. */
export const isKindOf = (family: Family, kind: string): boolean => KIND_SHAPES[family].test(kind);

const fault = (where: string, what: string): ColdsealError =>
  new ColdsealError('SCANNER_DEGRADED', `${where}: ${what}.`);

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refuseUnknown = (members: Members, known: readonly string[], where: string): void => {
  for (const name of Object.keys(members)) {
    if (!known.includes(name)) throw fault(where, `member "${name}" is not known; known are ${known.join(', ')}`);
  }
};

const textOf = (members: Members, name: string, where: string, fallback?: string): string => {
  const value = members[name] ?? fallback;
  if (typeof value !== 'string' || (value === '' && fallback !== '')) {
    throw fault(where, `member "${name}" must be a text that is not empty`);
  }
  return value;
};

const textsOf = (members: Members, name: string, where: string, least: number): readonly string[] => {
  const value = members[name] ?? [];
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string') || value.length < least) {
    throw fault(where, `member "${name}" must be a list of at least ${least} texts`);
  }
  return value;
};

const filtersOf = (members: Members, where: string): readonly Filter[] => {
  const value = members['filters'] ?? [];
  if (!Array.isArray(value)) throw fault(where, 'member "filters" must be a list');
  return value.map((one: unknown, at) => parseFilter(one, (what) => fault(`${where}, filters[${at}]`, what)));
};

const severityOf = (members: Members, where: string): Severity => {
  const value = members['severity'];
  if (value !== 'block' && value !== 'warn') throw fault(where, 'member "severity" must be "block" or "warn"');
  return value;
};

const groupOf = (members: Members, where: string): number => {
  const value = members['group'];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw fault(where, 'member "group" must be a whole number from 0 up');
  }
  return value;
};

const familyOf = (members: Members, where: string): Family => {
  const found = FAMILIES.find((family) => family === members['family']);
  if (found === undefined) throw fault(where, `member "family" must be one of ${FAMILIES.join(', ')}`);
  return found;
};

const ruleOf = (value: unknown, family: Family, file: string, at: number, origin: RuleFileOrigin): DocumentedRule => {
  const place = `rule file ${file}, rules[${at}]`;
  if (!isObject(value)) throw fault(place, 'a rule must be an object');
  const id = textOf(value, 'id', place);
  const where = `rule file ${file}, rule "${id}"`;
  if (!/^[a-z0-9][a-z0-9._-]{0,79}$/.test(id)) {
    throw fault(where, 'member "id" must be 1 to 80 of a-z 0-9 . _ -, first a letter or digit');
  }
  refuseUnknown(value, RULE_MEMBERS, where);
  const kind = textOf(value, 'kind', where);
  if (!isKindOf(family, kind)) {
    throw fault(where, `member "kind" must fit family "${family}" (${KIND_SHAPES[family].source})`);
  }
  const shipped = origin === 'shipped';
  return {
    id,
    kind,
    family,
    severity: severityOf(value, where),
    description: textOf(value, 'description', where, shipped ? undefined : ''),
    pattern: textOf(value, 'pattern', where),
    group: groupOf(value, where),
    filters: filtersOf(value, where),
    source: textOf(value, 'source', where, shipped ? undefined : ''),
    examples: textsOf(value, 'examples', where, shipped ? 2 : 0),
    counterexamples: textsOf(value, 'counterexamples', where, shipped ? 2 : 0),
  };
};

/**
 * The rules of one file's text, in the file's order. `file` is the name used in messages.
 * Throws `SCANNER_DEGRADED` on the first fault.
 */
export const parseRuleFile = (text: string, file: string, origin: RuleFileOrigin): readonly DocumentedRule[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ColdsealError('SCANNER_DEGRADED', `rule file ${file}: this is not JSON. Correct it and run again.`, {
      cause,
    });
  }
  const where = `rule file ${file}`;
  if (!isObject(value)) throw fault(where, 'the file must hold one object');
  refuseUnknown(value, FILE_MEMBERS, where);
  const family = familyOf(value, where);
  const rules = value['rules'];
  if (!Array.isArray(rules)) throw fault(where, 'member "rules" must be a list');
  return rules.map((one: unknown, at) => ruleOf(one, family, file, at, origin));
};
