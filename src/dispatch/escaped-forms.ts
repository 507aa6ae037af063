/**
 * A pattern that finds a value however its characters are escaped, each on its own: a decoder that takes off every kind
 * of escape at once would also take apart what only looks like one (`a"b%aac` after JSON's escaping is `a\"b%aac`).
 */

const HTML_NAMES: Readonly<Record<string, string>> = {
  ...{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', '+': 'plus', '=': 'equals', '/': 'sol' },
  ...{ '\\': 'bsol', _: 'lowbar', '.': 'period', ':': 'colon', '#': 'num', '@': 'commat', $: 'dollar' },
  ...{ '%': 'percnt', '!': 'excl', '*': 'ast', '(': 'lpar', ')': 'rpar', ',': 'comma', ';': 'semi', '?': 'quest' },
  ...{ '[': 'lsqb', ']': 'rsqb', '{': 'lcub', '}': 'rcub', '|': 'verbar', '`': 'grave', '^': 'Hat' },
};

/**
 * Percent, backslash and ampersand, themselves escaped some more times or not. Every repetition has an end: the text is
 * a provider's, and a megabyte of backslashes must not cost a square of it.
 */
const PERCENT = '%(?:25){0,4}';
const BACKSLASH = '(?:\\\\|%5c){1,8}';
const AMPERSAND = '(?:&(?:amp;){0,4}|%26)';

/** Global, and without regard to letter case, which is how headers and hosts come back. */
export const escapedForms = (value: string): RegExp => new RegExp([...value].map(formsOf).join(''), 'gi');

const formsOf = (character: string): string => {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  const percent = [...Buffer.from(character)].map((byte) => `${PERCENT}${byte.toString(16).padStart(2, '0')}`).join('');
  const name = HTML_NAMES[character];
  const forms = [
    literal(character),
    percent,
    `${BACKSLASH}u\\{?${hex.padStart(4, '0')}\\}?`,
    `${AMPERSAND}#(?:x0{0,6}${hex}|0{0,6}${point});?`,
    ...(point <= 0xff ? [`${BACKSLASH}x${hex.padStart(2, '0')}`] : []),
    ...(name === undefined ? [] : [`${AMPERSAND}${name};`]),
  ];
  return `(?:${forms.join('|')})`;
};

/** JSON, Markdown and shells put a backslash before what is no letter or digit. */
const literal = (character: string): string =>
  /[a-z0-9]/i.test(character) ? character : `\\\\{0,8}${character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')}`;
