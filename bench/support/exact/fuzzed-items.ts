/**
 * Items made to be hard: examples and counter-examples of every rule, whole, cut, glued, repeated and with bytes changed,
 * as they stand and in encoded forms, between noise. From a seed: the same number gives the same item everywhere.
 */
import { expandExample } from '../../../src/rules/expand-example.js';
import type { DocumentedRule } from '../../../src/rules/rule-file.js';
import { seededNumbers } from '../seeded-numbers.js';

const NOISE = [
  '\n',
  '\r\n',
  ' ',
  '\t',
  '"',
  "'",
  '`',
  '=',
  ': ',
  ',',
  '_',
  '-',
  '+',
  '\\',
  '\\n',
  '\\u00',
  '%',
  '%2',
  '&amp;',
  '&#',
  '{',
  '}}',
  '$(',
  'key',
  'secret: ',
  'password="',
  'token = ',
  'AKIA',
  'Bearer ',
  'https://',
  'a@b.c',
  '-----BEGIN ',
  'KEY-----\n',
  'é',
  '😀',
  '\u017f',
  '\u212a',
  '\ufeff',
  'x'.repeat(70),
  '\u0000',
];

type Below = (limit: number) => number;

const ENCODINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  encodeURIComponent,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify(text)),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text, 'utf16le').toString('base64'),
  (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('_', '&#95;'),
  (text) => `+${text.replaceAll('\n', '\n+')}`,
  (text) => `-    ${text.replaceAll('\n', '\n-    ')}`,
  (text) => `"${text.slice(0, text.length / 2)}" + "${text.slice(text.length / 2)}"`,
];

const pick = <T>(list: readonly T[], below: Below, otherwise: T): T => list[below(list.length)] ?? otherwise;

const piece = (templates: readonly string[], below: Below): string => {
  const text = expandExample(pick(templates, below, ''), `fuzz ${below(1e9)}`);
  const encode = pick(ENCODINGS, below, (one) => one);
  const from = below(6) === 0 ? below(text.length) : 0;
  const to = below(6) === 0 ? from + below(text.length - from + 1) : text.length;
  try {
    return encode(text.slice(from, to));
  } catch {
    // Half a surrogate has no percent form.
    return text;
  }
};

/** Some bytes changed, cut off or doubled; UTF-8 or not. */
const damage = (bytes: Buffer, below: Below): Buffer => {
  if (bytes.length === 0) return bytes;
  for (let changes = below(5); changes > 0; changes -= 1) bytes[below(bytes.length)] = below(256);
  return below(3) === 0 ? bytes.subarray(below(8), bytes.length - below(8)) : bytes;
};

export type MakeItem = (number: number) => Buffer;

export const fuzzedItems = (rules: readonly DocumentedRule[], seed: number): MakeItem => {
  const templates = rules.flatMap(({ examples, counterexamples }) => [...examples, ...counterexamples]);
  return (number) => {
    const below = seededNumbers(seed * 1_000_003 + number);
    const parts: string[] = [];
    for (let count = 1 + below(6); count > 0; count -= 1) {
      for (let noise = below(3); noise > 0; noise -= 1) parts.push(pick(NOISE, below, ' '));
      const text = piece(templates, below);
      parts.push(below(12) === 0 ? text.repeat(1 + below(4)) : text);
      for (let noise = below(3); noise > 0; noise -= 1) parts.push(pick(NOISE, below, '\n'));
    }
    const bytes = Buffer.from(parts.join(''), below(20) === 0 ? 'latin1' : 'utf8');
    return below(2) === 0 ? damage(bytes, below) : bytes;
  };
};
