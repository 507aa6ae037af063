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
  { name: 'nested base64', make: nested },
  { name: 'nested JSON escapes', make: nestedEscapes },
  { name: 'one long line', make: longLine },
];
