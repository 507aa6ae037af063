/**
 * Takes a credential out of whatever a provider says, in every form an encoder gives it.
 *
 * Three ways at once. A pattern finds the value with any of its characters escaped in any way. Stacked escapes are taken
 * off layer by layer with a map back to the text, and the same pattern is run over each layer. Forms that change every
 * byte (base64 of the value or of a header that holds it, hex) are computed beforehand and looked for as they stand.
 */
import { decodeLayer, type Layer } from './decoded-layer.js';
import { escapedForms } from './escaped-forms.js';

/** Stands where a credential stood. */
export const CREDENTIAL_MARK = '[credential]';

/** Shorter values are left: blanking `key` or `ollama` would spoil answers and hide nothing. */
export const LEAST_SECRET_BYTES = 8;
const MOST_LAYERS = 4;

export type Scrub = (text: string) => string;

/** A function that scrubs these values; the identity when there is none worth it. */
export const scrubber = (secrets: readonly string[]): Scrub => {
  const values = [...new Set(secrets)].filter((secret) => Buffer.byteLength(secret) >= LEAST_SECRET_BYTES);
  if (values.length === 0) {
    return (text) => text;
  }
  const patterns = values.map(escapedForms);
  const cores = values.flatMap(base64Cores);
  const hex = values.map((value) => Buffer.from(value).toString('hex'));
  return (text) => replaceRanges(text, merged(rangesIn(text, patterns, cores, hex)));
};

type Range = readonly [start: number, end: number];

const rangesIn = (
  text: string,
  patterns: readonly RegExp[],
  cores: readonly string[],
  hex: readonly string[],
): readonly Range[] => {
  const ranges: Range[] = [];
  let layer: Layer | null = { text, starts: null, ends: null };
  for (let depth = 0; depth <= MOST_LAYERS && layer !== null; depth += 1) {
    const low: string = lowerAscii(layer.text);
    const current: Layer = layer;
    const add = (start: number, end: number): void => {
      ranges.push([current.starts?.[start] ?? start, current.ends?.[end - 1] ?? end]);
    };
    for (const pattern of patterns) {
      for (const found of current.text.matchAll(pattern)) {
        add(found.index, found.index + found[0].length);
      }
    }
    for (const value of hex) {
      eachHit(low, value, (start) => {
        add(start, start + value.length);
        return start + value.length;
      });
    }
    for (const core of cores) {
      eachHit(current.text, core, (start) => {
        const run = base64Run(current.text, start, start + core.length);
        add(run[0], run[1]);
        return run[1];
      });
    }
    layer = decodeLayer(layer);
  }
  return ranges;
};

/** Goes on where `found` says, so that a run with many hits in it is looked at once. */
const eachHit = (text: string, value: string, found: (start: number) => number): void => {
  for (let at = text.indexOf(value); at !== -1; ) {
    at = text.indexOf(value, found(at));
  }
};

/** ASCII only: the length must not change, since offsets point into the text as it came. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (run) => run.toLowerCase());

/**
 * The part of the value's base64 that does not depend on what stands before or after it, for each of the three
 * alignments, in both alphabets.
 */
export const base64Cores = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  const cores = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = before === 0 ? 0 : before + 1;
    const kept = Math.floor(((before + bytes.length) * 8) / 6);
    return whole.slice(from, kept);
  });
  return [...new Set([...cores, ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))])];
};

/** The whole run of base64 characters around a hit: its edges hold bits of the value too. */
const base64Run = (text: string, start: number, end: number): Range => {
  const inAlphabet = (at: number): boolean => /[A-Za-z0-9+/=_-]/.test(text.charAt(at));
  let from = start;
  while (from > 0 && inAlphabet(from - 1)) {
    from -= 1;
  }
  let to = end;
  while (to < text.length && inAlphabet(to)) {
    to += 1;
  }
  return [from, to];
};

const merged = (ranges: readonly Range[]): readonly Range[] => {
  const out: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      out.push([start, end]);
    }
  }
  return out;
};

const replaceRanges = (text: string, ranges: readonly Range[]): string => {
  let out = '';
  let from = 0;
  for (const [start, end] of ranges) {
    out += text.slice(from, start) + CREDENTIAL_MARK;
    from = end;
  }
  return out + text.slice(from);
};
