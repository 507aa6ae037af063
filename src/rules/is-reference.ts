/**
 * Whether a value is no value at all: a template, a variable, a call, a path of members, a placeholder, a type, a number.
 * Such text stays, because models "repair" code that a redactor broke (hermes-agent#33801, lean-ctx#827).
 *
 * Only shapes of the whole value count. A literal inside a template (`${PASS:-literal}`) is matched by rules of its own.
 */
import { rarityBits } from './rarity.js';

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
const NUMBER = /^[+-]?(?:\d[\d_]{0,9}|\d+\.\d+|0x[\da-fA-F]{1,8})(?:[a-zA-Z]{1,2}|%)?$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/;
const WORD_VALUES =
  /^(?:true|false|null|nil|none|undefined|void|yes|no|on|off|NaN|self|this|super|default|required|optional|empty|unset|unknown|todo|tbd|n\/a)$/i;
const CALL = /^(?:await |new |async |typeof |return )*[A-Za-z_$][\w$.:>?!-]*[([{]/;
const MEMBERS = /^!*[A-Za-z_$@][\w$]*(?:(?:\?\.|!\.|\.|->|::|\[['"]?)[A-Za-z_$0-9][\w$-]*(?:['"]?\])?[!?]?)+;?$/;
const PATH = /^(?:\.{0,2}|~|[A-Za-z]:|file:\/\/)[\\/](?:[\w.@+${}%~-]+[\\/])*[\w.@+${}%*~-]*$/;
const FILE =
  /^[\w@./\\-]+\.(?:pem|key|crt|cer|json|ya?ml|toml|txt|env|jks|p12|pfx|pub|conf|cfg|ini|[jt]sx?|mjs|cjs|py|go|rb|rs|java|php|html?|css|md|sh|log|xml|lock)$/i;
const PLAIN_URL = /^(?:[a-z][a-z0-9+.-]{1,12}:)?\/\/[^\s@?#]*\/?$/i;
/** A regular expression in a string: groups, sets and classes. */
const PATTERN = /\(\?[:=!<]|\[\^|\[%s\]|[)\]][*+?]|\\[dwsb]|^\([A-Z[\]|]+/;
const OPERATOR = /\s(?:=>|===?|!==?|&&|\|\||<=|>=|\+)\s|;$/;

/** Words that make a placeholder when a value is nothing but them: `YOUR-API-KEY-HERE`, `changeme`, `my_secret_token`. */
const PLACEHOLDER_WORDS = new Set(
  (
    'your my the a an some insert enter put add replace replaceme change changeme change_me here with me to this that it is in of for from and or your_own own ' +
    'api apikey app application key keys token tokens secret secrets password passwords passwd pass pwd pw passphrase credential credentials ' +
    'auth authorization access private public client server service user username users name login account id identifier value values ' +
    'string text data example examples sample test tests testing tester demo dummy fake mock foo bar baz qux placeholder redacted hidden removed masked ' +
    'censored null none todo fixme xxx yyy zzz abc abcd abcdef secretkey mysecret mypassword mytoken my_token supersecret topsecret default ' +
    'not real valid invalid wrong bad good new old strong secure random generated generate some any must set env var variable config ' +
    'goes between do see only use used using local development dev prod production staging long very super top basic bearer header oauth oauth2 jwt session cookie csrf ' +
    'database db root admin github gitlab google aws azure openai anthropic slack stripe npm docker'
  ).split(' '),
);

const isPlaceholder = (value: string): boolean => {
  const words = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return (
    words.length > 0 &&
    words.every((word) => PLACEHOLDER_WORDS.has(word.replace(/\d{1,3}$/, '')) || /^\d{1,3}$/.test(word))
  );
};

/** Half or more of the value is one character again and again, as in `ghp_xxxxxxxxxxxxxxxx`. */
const isFiller = (value: string): boolean => {
  let run = 1;
  let longest = 1;
  for (let at = 1; at < value.length; at++) {
    run = value.charCodeAt(at) === value.charCodeAt(at - 1) ? run + 1 : 1;
    if (run > longest) longest = run;
  }
  return longest >= 6 && longest * 2 >= value.length;
};

const segmentsAreNames = (value: string): boolean =>
  value.split(/[^A-Za-z0-9_$]+/).every((part) => part.length < 10 || rarityBits(Buffer.from(part)) < 6);

const isCode = (value: string): boolean =>
  (CALL.test(value) && segmentsAreNames(value)) ||
  (MEMBERS.test(value) && segmentsAreNames(value)) ||
  (OPERATOR.test(value) && /\s/.test(value)) ||
  (PATTERN.test(value) && rarityBits(Buffer.from(value)) < 30);

const isPlace = (value: string): boolean =>
  ((PATH.test(value) || FILE.test(value)) && segmentsAreNames(value)) ||
  (PLAIN_URL.test(value) && segmentsAreNames(value));

/** The value with its templates taken out is too short to hold a secret. */
const isTemplate = (value: string): boolean => {
  const rest = value.replace(TEMPLATES, '');
  if (rest.length === value.length) return false;
  if (rest.length < LEAST_LITERAL) return true;
  return rarityBits(Buffer.from(rest)) < 6 && !/[!#$%^&*+?~;|]/.test(rest);
};

/** The byte after an unquoted value says that it was the name of a call or an index. */
const isCalled = (text: Uint8Array, start: number, end: number): boolean => {
  const after = text[end];
  if (after !== 0x28 && after !== 0x5b) return false;
  const first = text[start] ?? 0;
  return (first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a;
};

/** Whether the value at `[start, end)` is a harmless shape (engine.md, "Code stays readable"). */
export const isReference = (text: Uint8Array, start: number, end: number): boolean => {
  if (end <= start) return true;
  const judged = Math.min(end, start + JUDGED_BYTES);
  const value = Buffer.from(text.buffer, text.byteOffset + start, judged - start)
    .toString('latin1')
    .trim();
  if (value === '' || MASK.test(value) || NUMBER.test(value) || DATE.test(value) || WORD_VALUES.test(value))
    return true;
  if (VARIABLE.test(value) || isFiller(value) || isPlaceholder(value)) return true;
  return isTemplate(value) || isCode(value) || isPlace(value) || isCalled(text, start, end);
};
