/**
 * The owner's own identity as rules: home paths, account name, git names and e-mails. They are built per run and never
 * stand in a file.
 *
 * Only values of 3 or more characters, and never a generic account name: blanking every `dev` or `root` would make code
 * unreadable and say nothing about anybody.
 */
import type { IdentityInputs, Rule } from '../contract/rule.js';

const LEAST_CHARACTERS = 3;

const GENERIC_NAMES = new Set([
  'root',
  'runner',
  'node',
  'dev',
  'ci',
  'user',
  'ubuntu',
  'admin',
  'administrator',
  'debian',
  'vagrant',
  'docker',
  'git',
  'github',
  'build',
  'builder',
  'test',
  'home',
  'guest',
  'default',
  'vscode',
  'codespace',
  'ec2-user',
  'nobody',
  'www-data',
  'jenkins',
  'app',
  'me',
  'example',
]);

/** Git's own placeholders, and addresses that name no person. */
const GENERIC_EMAIL =
  /^(?:noreply|no-reply|root|user|you|me|test)@|@(?:example\.(?:com|org|net)|localhost|users\.noreply\.github\.com)$/i;

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const LEFT_EDGE = '(?:^|[^A-Za-z0-9_])';
const RIGHT_EDGE = '(?:[^A-Za-z0-9_]|$)';

const ruleOf = (id: string, kind: string, description: string, pattern: string): Rule => ({
  id: `identity.${id}`,
  kind: `identity:${kind}`,
  family: 'identity',
  severity: 'block',
  description,
  pattern,
  group: 1,
  filters: [],
  source: 'the machine: account, home and git settings of this run',
});

const isTelling = (value: string): boolean =>
  [...value].length >= LEAST_CHARACTERS && !GENERIC_NAMES.has(value.toLowerCase());

const distinct = (values: readonly string[]): readonly string[] =>
  [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '').sort();

/** `/home/name`, with either slash; the last part must be telling. */
const homePattern = (path: string): string | null => {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '');
  const last = parts.at(-1);
  if (parts.length < 2 || last === undefined || !isTelling(last)) return null;
  const lead = /^[A-Za-z]:$/.test(parts[0] ?? '') ? '' : '[\\\\/]{1,4}';
  return `(?i)(${lead}${parts.map(escapePattern).join('[\\\\/]{1,4}')})${RIGHT_EDGE}`;
};

/** `Ada Lovelace` also as `ada.lovelace`, `AdaLovelace`, `ada_lovelace` and `Lovelace, Ada`. */
const personPattern = (name: string): string => {
  const parts = name.split(/\s+/).map(escapePattern);
  const straight = parts.join('[ ._+-]?');
  const last = parts.at(-1) ?? '';
  const turned = parts.length > 1 ? `|${last}, ?${parts.slice(0, -1).join('[ ._-]')}` : '';
  return `(?i)${LEFT_EDGE}(${straight}${turned})${RIGHT_EDGE}`;
};

/**
 * Rules for what `inputs` holds; bytewise by id, the same for the same inputs whatever their order.
 */
export const identityRules = (inputs: IdentityInputs): readonly Rule[] => {
  const homes = distinct(inputs.homePaths)
    .map(homePattern)
    .filter((pattern): pattern is string => pattern !== null)
    .map((pattern, at) => ruleOf(`home.${at}`, 'home_path', 'The owner’s home path.', pattern));
  const users = distinct(inputs.userNames)
    .filter(isTelling)
    .map((name, at) =>
      ruleOf(
        `user.${at}`,
        'user_name',
        'The owner’s account name.',
        `(?i)${LEFT_EDGE}(${escapePattern(name)})${RIGHT_EDGE}`,
      ),
    );
  const people = distinct(inputs.personNames)
    .filter(isTelling)
    .map((name, at) => ruleOf(`person.${at}`, 'person_name', 'The owner’s name in git.', personPattern(name)));
  const mails = distinct(inputs.emails)
    .filter((mail) => /^[^@\s]+@[^@\s]+$/.test(mail) && !GENERIC_EMAIL.test(mail))
    .map((mail, at) =>
      ruleOf(`email.${at}`, 'email', 'The owner’s e-mail address in git.', `(?i)(${escapePattern(mail)})`),
    );
  return [...mails, ...homes, ...people, ...users];
};
