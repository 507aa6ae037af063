/**
 * Whether a value is no value at all: a template, a variable, a call, a path of members, a placeholder, a type, a number.
 * Such text stays, because models "repair" code that a redactor broke (hermes-agent#33801, lean-ctx#827).
 *
 * Only shapes of the whole value count. A literal inside a template (`${PASS:-literal}`) is matched by rules of its own.
 */
import { MARK_OPENING } from '../contract/bundle.js';
import { CLASS_OF, LOWER, OTHER, UPPER } from './name-model.js';
import { rarityBitsOfText } from './rarity.js';
import {
  AT,
  BACKSLASH,
  BLANK,
  BRACKET,
  CLOSING,
  COLON,
  DOT,
  GREATER,
  OPENING,
  SIGIL,
  SLASH,
  STAR,
  shapeOf,
  type ValueShape,
} from './value-shape.js';

/**
 * What is left of a placeholder for a rule whose values end at a blank. The whole value must be it: text that only begins
 * like a placeholder may hide something.
 */
const PLACEHOLDER_START = MARK_OPENING.trimEnd();

/** A whole mark with its kind masked, as values that may hold blanks see it: nothing can hide in it. */
const MASKED_MARK = /^\[blanked [_:]+(?: #\d{1,9})?\]$/;

/** Longer values are judged by their first bytes: no reference is that long. */
const JUDGED_BYTES = 400;

/** `${VAR}`, `{{ x }}`, `$(cmd)`, `#{x}`, `<%= x %>`, `%(x)s`, `%VAR%`, `{x}`, `[x]`, `<x>`, `@x@`, `__X__`, backticks. */
const TEMPLATES =
  /\$\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\{[^{}]*\{[^{}]*\}[^{}]*\}|\{\{\{?[^{}]*\}?\}\}|\$\([^()]*\)|#\{[^{}]*\}|<%[^%]*%>|%\([\w.]+\)[sd]|%[A-Za-z_]\w*%|%[sdv]|\{[\w.$: \-[\]"'()]{0,60}\}|\[[\w .$:*-]{1,60}\]|<[\w /.$:|-]{1,60}>|&lt;[\w -]{1,60}&gt;|@[A-Za-z_][\w.]*@/g;

/** What may surround a template in a value without being a secret itself. */
const LEAST_LITERAL = 8;

const VARIABLE =
  /^(?:\$[A-Za-z_]\w*|\$\{?[A-Za-z_][\w:.-]*\}?|&[A-Za-z_]\w*|%[A-Za-z_]\w*%?|!(?:Ref|Sub|GetAtt|secret|vault|env_var|reference)\b.*)$/;
const MASK = /^(?:[*•.xX#_\-?0 ]+|\.{2,}.*|.*\.{3,}|.*…|.*\*{3,}.*|.*(?:xxxxx|XXXXX).*)$/;
const MASK_START = /^[*.xX#_\-?0 ]/;
const NUMBER = /^[+-]?(?:\d[\d_]{0,9}|\d+\.\d+|0x[\da-fA-F]{1,8})(?:[a-zA-Z]{1,2}|%)?$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/;
const WORD_VALUES =
  /^(?:true|false|null|nil|none|undefined|void|yes|no|on|off|NaN|self|this|super|default|required|optional|empty|unset|unknown|todo|tbd|n\/a)$/i;
const CALL = /^(?:await |new |async |typeof |return )*[A-Za-z_$][\w$.:>?!-]*[([{]/;
const MEMBERS = /^!*[A-Za-z_$@][\w$]*(?:(?:\?\.|!\.|\.|->|::|\[['"]?)[A-Za-z_$0-9][\w$-]*(?:['"]?\])?[!?]?)+[;,]?$/;
const PATH = /^(?:\.{0,2}|~|[A-Za-z]:|file:\/\/)[\\/](?:[\w.@+${}%~-]+[\\/])*[\w.@+${}%*~-]*$/;
const FILE =
  /^[\w@./\\-]+\.(?:pem|key|crt|cer|json|ya?ml|toml|txt|env|jks|p12|pfx|pub|conf|cfg|ini|[jt]sx?|mjs|cjs|py|go|rb|rs|java|php|html?|css|md|sh|log|xml|lock)$/i;
const PLAIN_URL = /^(?:[a-z][a-z0-9+.-]{1,12}:)?\/\/[^\s@?#]*\/?$/i;
/** `#/components/schemas/password`: a JSON pointer (RFC 6901) as a fragment. */
const POINTER = /^#(?:\/[\w.~%{}-]+)+$/;
/** A regular expression in a string: groups, sets and classes, Vim's escaped signs among them. */
const PATTERN = /\(\?[:=!<]|\[\^|\[%s\]|[)\]](?:[*+?]|\{\d)|\\[dwsb(|]|^\([A-Z[\]|]+/;
/** Five short words or sets with bars between them, or three of Vim's signs, are a pattern, however odd it reads. */
const ALTERNATIVES = /(?:^|[(|])[\w[\]]{1,12}(?:\|[\w[\]]{1,12}){4}|\\[(|)](?:[^\\]{0,20}\\[(|)]){2}/;
const OPERATOR = /\s(?:=>|===?|!==?|&&|\|\||<=|>=|\+)\s|;$/;

/** Words that make a placeholder when a value is nothing but them: `YOUR-API-KEY-HERE`, `changeme`, `my_secret_token`. */
const PLACEHOLDER_WORDS = new Set(
  (
    'your my the a an some insert enter put add replace replaceme change changeme change_me here with me to this that it is in of for from and or your_own own ' +
    'api apikey app application key keys token tokens secret secrets password passwords passwd pass pwd pw passphrase credential credentials ' +
    'auth authorization access private public client server service user username users name login account id identifier value values ' +
    'string text data example examples sample test tests testing tester demo dummy fake mock foo bar baz qux foobar placeholder redacted hidden removed masked ' +
    'censored null none todo fixme xxx yyy zzz abc abcd abcdef secretkey mysecret mypassword mytoken my_token supersecret topsecret default ' +
    'not real valid invalid correct incorrect wrong bad good new old strong secure random generated generate some any must set env var variable config ' +
    'goes between do see only use used using local development dev prod production staging long very super top basic bearer header oauth oauth2 jwt session cookie csrf ' +
    'database db root admin github gitlab google aws azure openai anthropic slack stripe npm docker'
  ).split(' '),
);

const isPlaceholderWord = (word: string): boolean =>
  PLACEHOLDER_WORDS.has(word.replace(/\d{1,3}$/, '')) || /^\d{1,3}$/.test(word);

const isAlphanumeric = (code: number): boolean => (CLASS_OF[code] ?? OTHER) !== OTHER;

/** Its first word: what settles nearly every value that is no placeholder. */
const firstWord = (value: string): string => {
  let start = 0;
  while (start < value.length && !isAlphanumeric(value.charCodeAt(start))) start += 1;
  let end = start;
  for (let before = OTHER; end < value.length; end += 1) {
    const now = CLASS_OF[value.charCodeAt(end)] ?? OTHER;
    if (now === OTHER || (before === LOWER && now === UPPER)) break;
    before = now;
  }
  return value.slice(start, end).toLowerCase();
};

/** Longer words are no placeholder's, digits counted. */
const LONGEST_PLACEHOLDER_WORD = 16;

const isPlaceholder = (value: string): boolean => {
  const first = firstWord(value);
  if (first === '' || first.length > LONGEST_PLACEHOLDER_WORD || !isPlaceholderWord(first)) return false;
  const words = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.every(isPlaceholderWord);
};

/** Half or more of the value is one character again and again, as in `ghp_xxxxxxxxxxxxxxxx`. */
const isFiller = (value: string, { longestRun }: ValueShape): boolean =>
  longestRun >= 6 && longestRun * 2 >= value.length;

const segmentsAreNames = (value: string): boolean =>
  value.split(/[^A-Za-z0-9_$]+/).every((part) => part.length < 10 || rarityBitsOfText(part) < 6);

const isCode = (value: string, { bits }: ValueShape): boolean => {
  const isCalled = (bits & (OPENING | BRACKET)) !== 0 && CALL.test(value);
  const isReached = (bits & (DOT | GREATER | COLON | BRACKET)) !== 0 && MEMBERS.test(value);
  if ((isCalled || isReached) && segmentsAreNames(value)) return true;
  if ((bits & BLANK) !== 0 && OPERATOR.test(value)) return true;
  if (ALTERNATIVES.test(value)) return true;
  const mayBePattern = (bits & (OPENING | BRACKET | CLOSING | BACKSLASH)) !== 0;
  return mayBePattern && PATTERN.test(value) && rarityBitsOfText(value) < 30;
};

const isPlace = (value: string, { bits }: ValueShape): boolean => {
  const isPath =
    (bits & (SLASH | BACKSLASH)) !== 0 && (PATH.test(value) || POINTER.test(value) || PLAIN_URL.test(value));
  return (isPath || ((bits & DOT) !== 0 && FILE.test(value))) && segmentsAreNames(value);
};

/** The value with its templates taken out is too short to hold a secret. */
const isTemplate = (value: string, { bits }: ValueShape): boolean => {
  if ((bits & (SIGIL | OPENING | BRACKET | AT)) === 0) return false;
  const rest = value.replace(TEMPLATES, '');
  if (rest.length === value.length) return false;
  if (rest.length < LEAST_LITERAL) return true;
  return rarityBitsOfText(rest) < 6 && !/[!#$%^&*+?~;|]/.test(rest);
};

/** The byte after an unquoted value says that it was the name of a call or an index. */
const isCalled = (text: Uint8Array, start: number, end: number): boolean => {
  const after = text[end];
  if (after !== 0x28 && after !== 0x5b) return false;
  const first = text[start] ?? 0;
  return (first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a;
};

/** The longest of `WORD_VALUES`. */
const LONGEST_WORD = 9;

/** A mask, a number, a date, `true`. */
const isPlainWord = (value: string, { bits, digits, letters }: ValueShape): boolean => {
  // A mask has points or stars, five x in a row, or nothing but a few signs.
  const mayBeMask = (bits & (DOT | STAR | BLANK)) !== 0 || MASK_START.test(value) || /x{5}|X{5}/.test(value);
  if (mayBeMask && MASK.test(value)) return true;
  if (digits > 0 && letters <= 11 && (NUMBER.test(value) || DATE.test(value))) return true;
  return value.length <= LONGEST_WORD && WORD_VALUES.test(value);
};

/** Whether the value at `[start, end)` is a harmless shape (engine.md, "Code stays readable"). */
export const isReference = (text: Uint8Array, start: number, end: number): boolean => {
  if (end <= start) return true;
  const judged = Math.min(end, start + JUDGED_BYTES);
  const value = Buffer.from(text.buffer, text.byteOffset + start, judged - start)
    .toString('latin1')
    .trim();
  if (value === '' || value === PLACEHOLDER_START || MASKED_MARK.test(value)) return true;
  const shape = shapeOf(value);
  if (isPlainWord(value, shape) || VARIABLE.test(value) || isFiller(value, shape) || isPlaceholder(value)) return true;
  return isTemplate(value, shape) || isCode(value, shape) || isPlace(value, shape) || isCalled(text, start, end);
};
