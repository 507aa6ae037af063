/**
 * Random patterns in the grammar that rules use, and random texts that nearly match them: a text is written by walking the
 * pattern, and then some of it is changed. Everything follows from a seed.
 */
import { numbersFrom } from './scan-fixtures.js';

interface Piece {
  readonly source: string;
  /** Writes a text that the piece matches. */
  readonly sample: () => string;
}

export interface RandomPattern {
  readonly source: string;
  readonly groups: number;
  readonly sample: () => string;
}

const CLASSES: readonly (readonly [string, string])[] = [
  ['[a-z0-9]', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['[A-Z2-7]', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
  ['[a-f0-9]', 'abcdef0123456789'],
  ['\\w', 'abcXYZ019_'],
  ['\\d', '0123456789'],
  ['[\\w.-]', 'abkKsS09_.-'],
  ['[^"\\n]', 'ab k=é…'],
  ['[^\\s,;]', 'abK"ñ='],
  ['.', 'ab .é"'],
  ['\\s', ' \t\n'],
  ['[ \\t]', ' \t'],
  ['[=:]', '=:'],
  ['["\']', '"\''],
];
const WORDS = [
  'key',
  'sk',
  'token',
  'KEY',
  'pass',
  'ab',
  'a',
  '_',
  '-',
  '.',
  '://',
  '@',
  'Sec',
  'ghp_',
  'kk',
  'é',
  'sS',
];
const EDGES = ['\\b', '^', '$', '(?m:^)', '(?m:$)'];

export interface PatternSource {
  readonly pattern: () => RandomPattern;
  readonly below: (limit: number) => number;
}

export const patternSource = (seed: number): PatternSource => {
  const next = numbersFrom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)];
    if (one === undefined) throw new RangeError('nothing to pick from');
    return one;
  };
  let groups = 0;
  let ignoreCase = false;

  const literal = (): Piece => {
    const word = pick(WORDS.filter((one) => !ignoreCase || !/[^\x20-\x7e]/.test(one)));
    const cased = (letter: string): string => {
      if (!ignoreCase) return letter;
      if (letter === 'k' && below(6) === 0) return '\u212a';
      if (letter === 's' && below(6) === 0) return '\u017f';
      return below(2) === 0 ? letter.toUpperCase() : letter.toLowerCase();
    };
    return {
      source: word.replace(/[.$^*+?()[\]{}|/-]/g, '\\$&'),
      sample: () => [...word].map(cased).join(''),
    };
  };

  const charClass = (): Piece => {
    const [source, alphabet] = pick(CLASSES);
    return { source, sample: () => pick([...alphabet]) };
  };

  const repeat = (piece: Piece): Piece => {
    const least = below(4);
    const forms: readonly (readonly [string, number, number])[] = [
      ['?', 0, 1],
      ['*', 0, 6],
      ['+', 1, 6],
      [`{${least},${least + 5}}`, least, least + 5],
      [`{${least + 2}}`, least + 2, least + 2],
      [`{${least},}`, least, least + 6],
    ];
    const [suffix, from, to] = pick(forms);
    const lazy = below(4) === 0 ? '?' : '';
    return {
      source: `(?:${piece.source})${suffix}${lazy}`,
      sample: () => Array.from({ length: from + below(to - from + 1) }, () => piece.sample()).join(''),
    };
  };

  const alternate = (depth: number): Piece => {
    const branches = Array.from({ length: 2 + below(3) }, () => concat(depth - 1));
    return { source: `(?:${branches.map((one) => one.source).join('|')})`, sample: () => pick(branches).sample() };
  };

  const group = (depth: number): Piece => {
    groups += 1;
    const inside = concat(depth - 1);
    return { source: `(${inside.source})`, sample: inside.sample };
  };

  /** Parentheses that capture nothing, with or without flags. */
  const wrapped = (depth: number): Piece => {
    const inside = concat(depth - 1);
    return { source: `(?${pick(['', 'i', 's', 'm', 'im'])}:${inside.source})`, sample: inside.sample };
  };

  const atom = (depth: number): Piece => {
    const kind = below(depth > 0 ? 11 : 6);
    if (kind === 10) return wrapped(depth);
    if (kind < 3) return literal();
    if (kind === 3) return repeat(charClass());
    if (kind === 4) return charClass();
    if (kind === 5) return below(3) === 0 ? { source: pick(EDGES), sample: () => '' } : literal();
    if (kind === 6) return repeat(concat(depth - 1));
    if (kind === 7) return alternate(depth);
    return group(depth);
  };

  function concat(depth: number): Piece {
    const parts = Array.from({ length: 1 + below(4) }, () => atom(depth));
    return { source: parts.map((one) => one.source).join(''), sample: () => parts.map((one) => one.sample()).join('') };
  }

  return {
    below,
    pattern: () => {
      groups = 0;
      ignoreCase = below(3) === 0;
      const piece = below(6) === 0 ? wrapped(3) : concat(2);
      return { source: (ignoreCase ? '(?i)' : '') + piece.source, groups, sample: piece.sample };
    },
  };
};
