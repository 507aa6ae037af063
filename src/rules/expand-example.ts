/**
 * Example templates -> example text. The random part of an example always stands as a template (`{hex:40}`), so that no
 * secret-shaped literal stands in the repository and every run can use fresh values from a seed.
 *
 * `{name:length}` or `{name:least-most}`; braces around anything that is not a known name are literal text.
 */
import { base36Crc32, base62Crc32, luhnCheckDigit } from './checksums.js';
import { type RandomSource, seededRandom } from './random-source.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

/** Alphabets a template may name. */
const ALPHABETS: Readonly<Record<string, string>> = {
  lower: LOWER,
  upper: UPPER,
  digits: DIGITS,
  letters: LOWER + UPPER,
  hex: `${DIGITS}abcdef`,
  upperhex: `${DIGITS}ABCDEF`,
  alnum: LOWER + DIGITS,
  upperalnum: UPPER + DIGITS,
  base62: LOWER + UPPER + DIGITS,
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  base32: `${UPPER}234567`,
  bech32: 'qpzry9x8gf2tvdw0s3jn54khce6mua7l',
  base64: `${LOWER}${UPPER}${DIGITS}+/`,
  base64url: `${LOWER}${UPPER}${DIGITS}_-`,
  password: `${LOWER}${UPPER}${DIGITS}!#%*+-.?^_~`,
};

const WORDS =
  'account branch bridge castle change cloud delta engine forest garden harbor island ladder market number orange planet quiet river silver tower update valley window yellow'.split(
    ' ',
  );

const base64UrlOf = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

const jwt = (random: RandomSource): string => {
  const header = base64UrlOf('{"alg":"HS256","typ":"JWT"}');
  const claims = base64UrlOf(`{"sub":"${random.text(DIGITS, 10)}","iat":17${random.text(DIGITS, 8)}}`);
  return `${header}.${claims}.${random.text(ALPHABETS['base64url'] ?? '', 43)}`;
};

/** A draw with at least one character of each alphabet named, in a shuffled order. */
const mixed = (random: RandomSource, length: number, alphabets: readonly string[]): string => {
  const characters = alphabets.map((alphabet) => random.text(alphabet, 1));
  characters.push(...random.text([...new Set(alphabets)].join(''), Math.max(length - alphabets.length, 0)));
  for (let at = characters.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const held = characters[at] ?? '';
    characters[at] = characters[other] ?? '';
    characters[other] = held;
  }
  return characters.join('').slice(0, length);
};

const digitShare = (length: number): readonly string[] => Array.from({ length: Math.ceil(length / 4) }, () => DIGITS);

type Form = (random: RandomSource, argument: string, length: number) => string;

/** Forms that are more than a draw from one alphabet. */
const FORMS: Readonly<Record<string, Form>> = {
  uuid: (random) => {
    const hex = (length: number): string => random.text(ALPHABETS['hex'] ?? '', length);
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.text('89ab', 1)}${hex(3)}-${hex(12)}`;
  },
  words: (random, _argument, length) =>
    Array.from({ length }, () => WORDS[random.below(WORDS.length)] ?? 'word').join(' '),
  github: (random, prefix) => {
    const body = random.text(ALPHABETS['base62'] ?? '', 30);
    return `${prefix}_${body}${base62Crc32(body)}`;
  },
  npm: (random) => {
    const body = random.text(ALPHABETS['base62'] ?? '', 30);
    return `npm_${body}${base62Crc32(body)}`;
  },
  gitlab: (random, prefix) => {
    const body = `${prefix}-${random.text(ALPHABETS['base64url'] ?? '', 38)}.01.1b`;
    return body + base36Crc32(body);
  },
  luhn: (random, _argument, length) => {
    const digits = `4${random.text(DIGITS, length - 2)}`;
    return digits + luhnCheckDigit(digits);
  },
  jwt,
  /** Lower and upper case letters and digits, digits at least one in four. */
  mixed: (random, _argument, length) => mixed(random, length, [LOWER, UPPER, ...digitShare(length)]),
  /** Lower-case letters and digits, digits at least one in four. */
  mixedlower: (random, _argument, length) => mixed(random, length, [LOWER, ...digitShare(length)]),
  /** A typed password: letters of both cases, digits and a symbol. */
  strong: (random, _argument, length) => mixed(random, length, [LOWER, UPPER, DIGITS, '!#%*+-?^_~']),
};

const lengthOf = (argument: string, random: RandomSource): number => {
  const [least = 0, most = least] = argument.split('-').map(Number);
  return Number.isInteger(least) && Number.isInteger(most) ? least + random.below(most - least + 1) : 0;
};

const expandOne = (whole: string, name: string, argument: string, random: RandomSource): string => {
  const form = FORMS[name];
  if (form !== undefined) return form(random, argument, lengthOf(argument, random));
  const alphabet = ALPHABETS[name];
  return alphabet === undefined || argument === '' ? whole : random.text(alphabet, lengthOf(argument, random));
};

/** `template` with every `{name:argument}` replaced by a value drawn from `seed`; `{b64:...}` encodes what it holds. */
export const expandExample = (template: string, seed: string): string => {
  const random = seededRandom(`${seed}\n${template}`);
  const drawn = template.replace(
    /\{([a-z][a-z0-9]*)(?::([A-Za-z0-9_-]+))?\}/g,
    (whole, name: string, argument?: string) => expandOne(whole, name, argument ?? '', random),
  );
  return drawn.replace(/\{b64:([^{}]*)\}/g, (_whole, text: string) => Buffer.from(text, 'utf8').toString('base64'));
};
