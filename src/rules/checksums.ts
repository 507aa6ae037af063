/**
 * Offline checksums that some token formats carry. They raise confidence and nothing else: a token with a wrong checksum
 * is blanked all the same, because older forms, typed copies and future forms must not travel.
 */
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `value` written in `alphabet`, left-padded with its first digit to `width`. */
const inBase = (value: number, alphabet: string, width: number): string => {
  let rest = value;
  let text = '';
  while (rest > 0) {
    text = alphabet.charAt(rest % alphabet.length) + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text.padStart(width, alphabet.charAt(0));
};

/** The last six characters of a GitHub (2021 form) or npm token: CRC-32 of its random part in base 62. */
export const base62Crc32 = (random: string): string => inBase(crc32(random), BASE62, 6);

/** The last seven characters of a GitLab routable token: CRC-32 of all before them in base 36. */
export const base36Crc32 = (text: string): string => inBase(crc32(text), BASE36, 7);

const luhnDigit = (digits: string): number => {
  let sum = 0;
  for (let at = digits.length - 1, double = true; at >= 0; at--, double = !double) {
    const digit = Number(digits.charAt(at)) * (double ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return (10 - (sum % 10)) % 10;
};

/** `prefix_` + random + six of CRC-32 over the random part (GitHub, npm). */
const prefixedCrc = (token: string): boolean => {
  const random = token.slice(token.lastIndexOf('_') + 1);
  return random.length > 6 && base62Crc32(random.slice(0, -6)) === random.slice(-6);
};

const CHECKSUMS = {
  'base62-crc32': prefixedCrc,
  'gitlab-routable': (token: string): boolean =>
    token.length > 7 && base36Crc32(token.slice(0, -7)) === token.slice(-7),
  luhn: (token: string): boolean => {
    const digits = token.replace(/\D/g, '');
    return digits.length > 1 && luhnDigit(digits.slice(0, -1)) === Number(digits.slice(-1));
  },
} as const satisfies Readonly<Record<string, (token: string) => boolean>>;

/** Names that a rule's `checksum` filter may give. */
export const CHECKSUM_NAMES: readonly string[] = Object.keys(CHECKSUMS);

const isChecksum = (name: string): name is keyof typeof CHECKSUMS => Object.hasOwn(CHECKSUMS, name);

/** Whether `token` carries the checksum that `algorithm` asks for; an unknown algorithm holds for nothing. */
export const checksumHolds = (algorithm: string, token: string): boolean =>
  isChecksum(algorithm) && CHECKSUMS[algorithm](token);

/** The Luhn digit of `digits`. */
export const luhnCheckDigit = (digits: string): string => String(luhnDigit(digits));
