/**
 * The worst inputs (engine.md, "Traps"): each is small text that a scanner which is not linear spends minutes on. A size
 * and a quarter of it are made by the same rule, so that their times can be compared.
 */

export interface PathologicalText {
  readonly name: string;
  make(bytes: number): Buffer;
}

const repeated = (name: string, unit: string): PathologicalText => ({
  name,
  make: (bytes) => Buffer.alloc(bytes, unit, 'utf8'),
});

/** Base64 of base64, as deep as a scan looks and deeper. */
const NESTING = 8;

const nested = (bytes: number): Buffer => {
  let text = Buffer.alloc(Math.max(1, Math.floor(bytes * 0.75 ** NESTING) - NESTING), 'lorem ipsum dolor ');
  for (let depth = 0; depth < NESTING; depth += 1) text = Buffer.from(text.toString('base64'), 'latin1');
  return text;
};

const nestedEscapes = (bytes: number): Buffer => {
  let text = '"key": "value"';
  for (let depth = 0; depth < NESTING; depth += 1) text = JSON.stringify(text);
  return Buffer.alloc(bytes, `${text}\n`, 'utf8');
};

/** The same text in UTF-16, a byte order mark before it. */
const inUtf16 = (name: string, unit: string): PathologicalText => ({
  name: `${name} in UTF-16`,
  make: (bytes) => {
    const text = Buffer.alloc(bytes, Buffer.from(unit, 'utf16le'));
    text.write('\ufeff', 0, 'utf16le');
    return text;
  },
});

/** Characters that look random, from a seed, none of them a line end. */
const noise = (bytes: number, seed: number): Buffer => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const text = Buffer.alloc(bytes);
  let state = seed;
  for (let at = 0; at < bytes; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text[at] = alphabet.charCodeAt(state >>> 26);
  }
  return text;
};

/** `lead` and a value of so many bytes, again and again, each value another. */
const led = (name: string, lead: string, valueBytes: number): PathologicalText => ({
  name,
  make: (bytes) => {
    const text = noise(bytes, 7);
    for (let at = 0; at < bytes; at += lead.length + valueBytes) text.write(lead, at, 'latin1');
    return text;
  },
});

const wrapped = (bytes: number): Buffer => {
  const text = noise(bytes, 11);
  for (let at = 76; at < bytes; at += 77) text[at] = 0x0a;
  return text;
};

/** A frame line of a key block; no file of the project holds one. */
const frameLine = (word: string): string => `-----${word} ${'PRIVATE KEY'}-----\n`;

/** One line of words, no line end before the last byte. */
const longLine = (bytes: number): Buffer => {
  const line = Buffer.alloc(bytes, 'const answer = 42; token, secret and key are words; ');
  line[bytes - 1] = 0x0a;
  return line;
};

export const PATHOLOGICAL: readonly PathologicalText[] = [
  repeated('one letter', 'a'),
  repeated('a token’s prefix', 'AKIA'),
  repeated('an assignment without a value', 'key='),
  repeated('an assignment of itself', 'secret='),
  repeated('quoted assignments', 'password="'),
  repeated('long s', '\u017f'),
  repeated('a keyword with long s', '\u017fecret'),
  repeated('the Kelvin sign', '\u212aey='),
  repeated('an address that never ends', 'a@'),
  repeated('a scheme', '://'),
  repeated('dots and digits', '1.'),
  repeated('line ends', '\n'),
  repeated('a key that begins', '-----BEGIN '),
  repeated('percent signs', '%25'),
  repeated('backslashes', '\\'),
  repeated('entities', '&amp;'),
  repeated('hex digits', 'deadbeef'),
  repeated('double quotes', '"'),
  repeated('single quotes', "'"),
  repeated('quotes and backslashes', '\\"'),
  repeated('braces', '{{'),
  repeated('references that begin', '$' + '{'),
  repeated('percent signs in percent signs', '%25252525'),
  repeated('entities in entities', '&amp;amp;amp;'),
  repeated('entities that begin', '&#'),
  repeated('escaped letters', '\\u0041'),
  repeated('escaped escapes', '\\\\u005cu0041'),
  repeated('quoted-printable signs', '=3D'),
  repeated('soft line breaks', '=\n'),
  repeated('joined strings', '"ab" + '),
  repeated('continued lines', 'ab\\\n'),
  repeated('characters that are not seen', 'a\u200b'),
  repeated('headers of keys', frameLine('BEGIN')),
  repeated('headers and ends of keys', `${frameLine('BEGIN')}${frameLine('END')}`),
  repeated('tokens that begin', 'gh' + 'p_'),
  repeated('JSON web tokens that begin', 'ey' + 'J.'),
  repeated('addresses with passwords that begin', 'https://a:'),
  repeated('digits with colons', '00:'),
  repeated('blanks', ' '),
  repeated('tabs and equals signs', '\t='),
  repeated('bytes of zero', '\0'),
  { name: 'bytes that are no UTF-8', make: (bytes) => Buffer.alloc(bytes, 0xe9) },
  { name: 'an assignment of Latin-1', make: (bytes) => Buffer.alloc(bytes, Buffer.from('key="\xe9', 'latin1')) },
  led('a token=’s long values', 'token=', 64 * 1024),
  led('a token=’s values of two hundred bytes', '\ntoken=', 200),
  led('quoted values without an end', '\npassword = "', 4096),
  { name: 'base64 without an end', make: (bytes) => noise(bytes, 3) },
  { name: 'wrapped base64', make: wrapped },
  inUtf16('one letter', 'a'),
  inUtf16('a token’s prefix', 'AKIA'),
  inUtf16('assignments without a value', 'key='),
  inUtf16('percent signs', '%25'),
  inUtf16('hex digits', 'deadbeef'),
  { name: 'nested base64', make: nested },
  { name: 'nested JSON escapes', make: nestedEscapes },
  { name: 'one long line', make: longLine },
];
