/**
 * Whether a value behind a name that means secret looks like a machine-made token or like a typed password. Finer than
 * `rarity` alone: sample values such as a counted alphabet with digits are not rare, yet no name looks like them.
 */
import { rarityBitsOfText } from './rarity.js';
import {
  AT,
  BLANK,
  BRACKET,
  CLOSING,
  COLON,
  DASH,
  DIGIT,
  DOT,
  HASH,
  LOWER,
  SLASH,
  STRANGE,
  shapeOf,
  UNDERSCORE,
  UPPER,
  type ValueShape,
} from './value-shape.js';

/** What `token-like` asks of a rare value, in bits; short values say less and have to say it louder. */
const TOKEN_BITS = 6;
const SHORT_TOKEN_BITS = 10;
const SHORT_BYTES = 16;
const LEAST_LETTERS = 12;
/** No path and no host name is as long; a token of many parts may be. */
const LONG_BYTES = 120;
/** A key that happens to have its digits where a name has them is rarer than this. */
const RARE_NAME_BITS = 30;

const count = (value: string, pattern: RegExp): number => value.match(pattern)?.length ?? 0;

const VERSION = /^(?:npm:\S+@|workspace:|[a-z-]+@)?[\^~<>=v]{0,3}\d+(?:\.(?:\d+|x|\*)){1,3}(?:[-+][\w.+-]{1,30})?$/;
const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const COLOUR = /^#[0-9a-fA-F]{3,8}$/;
const ALGORITHM =
  /^(?:(?:scram|hmac|rsa|ecdsa)-)?(?:hmac|pbkdf|aes|des|3des|rsa|ecdsa|ecdh|ed|x|sha|md|crc|base|utf|iso|http|h|oauth|argon|bcrypt|scrypt|hs|rs|es|ps|windows|latin)[a-z-]{0,3}\d{1,5}[a-z]{0,8}(?:[-_/][a-z\d]{1,8}){0,3}$|^[a-z]{1,6}\d{1,2}$/i;

/** A digest that names its algorithm, as lock files and subresource integrity write it. */
const INTEGRITY = /^(?:sha|md|blake)\d{1,3}[=:-]/i;
const ADDRESS = /^[a-z][a-z0-9+.-]{1,12}:\/\//i;

/**
 * `msg_01...`: an identifier that begins with its type and its time, as ULID, TypeID and their kin are written. Of the
 * tokens that look alike but for what they begin with, one in 3,844 begins with these two digits.
 */
const TIMED_ID = /^[a-z]{2,10}_01[0-9A-Za-z]{22,26}$/;

/** `NUM_NL80211_PKTPAT`: a constant, whose words have their digits at their ends. */
const CONSTANT = /^[A-Z]{2,}\d{0,6}(?:_(?:[A-Z]+\d{0,6}|\d{1,6}))+$/;

/** A version, an address, a colour, an algorithm, an identifier: values that hold digits or symbols and are no secret. */
const isOrdinary = (value: string, { bits }: ValueShape): boolean =>
  ((bits & DOT) !== 0 && (VERSION.test(value) || ((bits & AT) !== 0 && EMAIL.test(value)))) ||
  ((bits & HASH) !== 0 && COLOUR.test(value)) ||
  INTEGRITY.test(value) ||
  ((bits & UNDERSCORE) !== 0 &&
    (TIMED_ID.test(value) || (CONSTANT.test(value) && rarityBitsOfText(value) < RARE_NAME_BITS))) ||
  (value.length <= 24 && ALGORITHM.test(value) && (value.length <= 10 || rarityBitsOfText(value) < TOKEN_BITS));

/** `secret-2-levels`, `users.*.name`: words and small numbers joined, as names of tests, classes and paths are. */
const JOINED_WORDS = /^[A-Za-z*$]+(?:[-_.:/[\]]+(?:[A-Za-z*]+\d{0,2}|\d{1,2}))+\]?$/;

const isName = (value: string, { bits }: ValueShape): boolean =>
  (bits & (DASH | UNDERSCORE | DOT | COLON | SLASH | BRACKET | CLOSING)) !== 0 &&
  JOINED_WORDS.test(value) &&
  rarityBitsOfText(value) < TOKEN_BITS;

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const SAMPLE_UUID = /^(?:0{8}|1{8}|f{8}|12345678)-/i;

/** Letters of both cases and digits with several symbols, fourteen or more: typed or made, never a name. */
const isStrongMix = (value: string, { bits, digits, letters }: ValueShape): boolean =>
  value.length >= 14 &&
  value.length - digits - letters >= 3 &&
  (bits & (DIGIT | LOWER | UPPER)) === (DIGIT | LOWER | UPPER) &&
  count(value, /[!#$%^&*+?@~;,{}[\]()|'"<>=]/g) >= 3 &&
  !ADDRESS.test(value) &&
  !/\(\?|\w\(\w|[\w)]\.\w+\(|=>|&&|\|\|/.test(value);

/** Signs that people put into passwords, and few others into names. */
const TYPED_SIGN = /[!@#$%^*?~&+]/;

/**
 * `Harbor1745!`, `P@ssw0rd71`: letters of both cases, digits and a sign, typed by a person. The sign ends it, or a digit
 * stands where a letter should: `Outer1$Inner` is a name.
 */
const isTypedSecret = (value: string, { bits }: ValueShape): boolean => {
  if (value.length < 8 || value.length > 40 || (bits & (DIGIT | LOWER | UPPER)) !== (DIGIT | LOWER | UPPER))
    return false;
  if (!TYPED_SIGN.test(value) || !/^[A-Za-z0-9][A-Za-z0-9!@#$%^*?~&+]*$/.test(value) || !/\d\d/.test(value))
    return false;
  return TYPED_SIGN.test(value.slice(-1)) || /[A-Za-z]\d[A-Za-z]/.test(value);
};

/** `cp1133/Compose`: words and small numbers on either side of slashes. */
const NUMBERED_PATH = /^[A-Za-z_.-]*\d{0,4}(?:\/[A-Za-z_.-]*\d{0,4})+$/;

/** A word stands in the value, as in `Ed25519PublicKey`: five letters or more that read like a name. */
const holdsWord = (value: string): boolean =>
  (value.match(/[A-Z]?[a-z]{5,}|[A-Z]{5,}/g) ?? []).some((run) => rarityBitsOfText(run) < -3);

/**
 * Rare, a UUID, a strong mix, or long with letters and digits mixed and nothing else: no name holds four digits in
 * sixteen characters.
 */
export const isTokenLike = (value: string): boolean => {
  const shape = shapeOf(value);
  const { bits, digits, letters } = shape;
  if (bits === 0 || (bits & (BLANK | STRANGE)) !== 0 || isOrdinary(value, shape)) return false;
  if ((bits & DASH) !== 0 && UUID.test(value)) return !SAMPLE_UUID.test(value);
  // `fmfw_key`: so few small letters are rare as often in names as in keys.
  if (value.length < LEAST_LETTERS && digits === 0 && (bits & UPPER) === 0) return false;
  const least = value.length < SHORT_BYTES ? SHORT_TOKEN_BITS : TOKEN_BITS;
  if (rarityBitsOfText(value) >= least || isStrongMix(value, shape) || isTypedSecret(value, shape)) return true;
  if (value.length < 16 || !/^[A-Za-z0-9]+(?:[_.+/-][A-Za-z0-9]+){0,2}[+/=]{0,4}$/.test(value)) return false;
  return digits >= 4 && letters >= 4 && !/^0x[\da-f]+$/i.test(value) && !holdsWord(value);
};

/** A typed password: printable ASCII that holds a digit or a symbol and is no ordinary value and no name. */
export const isPasswordLike = (value: string): boolean => {
  const shape = shapeOf(value);
  if (value.length < 6 || (shape.bits & (BLANK | STRANGE)) !== 0) return false;
  if (isOrdinary(value, shape) || isName(value, shape)) return false;
  if (/^[-#.:@$%&?][A-Za-z_.-]+@?\d{0,2}$/.test(value) && rarityBitsOfText(value) < TOKEN_BITS) return false;
  return /[0-9!#$%^&+?@~]/.test(value) && /[A-Za-z]/.test(value);
};

/** `thisismypassword`: the name itself with a possessive before it, as samples write it. */
const SAMPLE_PASSWORD = /^(?:this_?is_?)?(?:my|your|the|an?)_?(?:secret|super|strong|secure)?_?pass(?:word)?$/;

/** A password that is a word or two: lower case only, long enough to be no label. */
export const isWordPassword = (value: string): boolean =>
  /^[a-z]{7,40}$|^[a-z]{3,20}[_-][a-z]{3,20}$/.test(value) &&
  !SAMPLE_PASSWORD.test(value) &&
  !/(?:input|field|label|hash|type|form|text|user|name|error|icon|reset|confirm|forgot|current|change|enter|required|invalid|incorrect|abcdefg)/.test(
    value,
  );

const UUID_LIKE = /^[0-9A-Za-z]{4,12}(?:-[0-9A-Za-z]{3,60}){2,6}$/;

/** `AB12-C3D4-56EF`: groups of one length, capitals and digits mixed, as keys of licences are written. */
const isGroupedKey = (value: string): boolean => {
  if (!/^[A-Z\d]{3,8}(?:-[A-Z\d]{3,8}){2,7}$/.test(value)) return false;
  const groups = value.split('-');
  const length = groups[0]?.length ?? 0;
  return (
    groups.every((group) => group.length === length) &&
    groups.filter((group) => /\d[A-Z]|[A-Z]\d/.test(group)).length > 1
  );
};

/** Ten of one character in a row, or some `x` or stars, as in a masked value. */
const FILLER_RUN = 10;
const FILLER = /xxxx|XXXX|\*\*\*/;

/**
 * A value behind a vendor's name: the name is evidence, so counted alphabets, UUIDs and long numbers pass as well. Paths,
 * dates, versions, masks and names do not.
 */
export const isVendorValue = (value: string): boolean => {
  if (value.length < 10) return false;
  const shape = shapeOf(value);
  const { bits, digits, letters, longestRun } = shape;
  if (longestRun >= FILLER_RUN || FILLER.test(value) || isOrdinary(value, shape) || isName(value, shape)) return false;
  if (/^\d{4}-\d\d-\d\d|^0x[\da-f]+$/i.test(value)) return false;
  if ((bits & DASH) !== 0 && UUID_LIKE.test(value)) return (digits >= 6 && value.length >= 20) || isGroupedKey(value);
  if ((bits & (SLASH | DOT)) !== 0 && value.length < LONG_BYTES && count(value, /[/.]/g) > 3) return false;
  if ((bits & SLASH) !== 0 && NUMBERED_PATH.test(value) && rarityBitsOfText(value) < RARE_NAME_BITS) return false;
  if (rarityBitsOfText(value) >= TOKEN_BITS || digits >= 16) return true;
  if (!/^[A-Za-z0-9]+(?:[_.+/=~-]+[A-Za-z0-9]+){0,4}[=_-]{0,2}$/.test(value)) return false;
  return digits >= 3 && letters >= 3;
};
