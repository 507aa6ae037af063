/**
 * What a person said of a span that was blanked in ordinary text. It is found again by rule, file and a hash of the lines
 * around it without the value, so that neither a value nor a hash of one stands in the file.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Span } from '../../src/contract/finding.js';

/** `secret`: a key, token or password, if only of an example; `wrong`: nothing that anybody would hide. */
export type HarmlessClass = 'secret' | 'wrong' | 'unclassed';

/** By `rule file context`. */
type Classes = ReadonlyMap<string, HarmlessClass>;

const FILE = join('bench', 'support', 'harmless-classes.json');
const CONTEXT_BYTES = 60;

const contextOf = (bytes: Buffer, { start, end }: Span): string =>
  createHash('sha256')
    .update(bytes.subarray(Math.max(0, start - CONTEXT_BYTES), start))
    .update('\0')
    .update(bytes.subarray(end, end + CONTEXT_BYTES))
    .digest('hex')
    .slice(0, 12);

export const keyOf = (file: string, rule: string, bytes: Buffer, span: Span): string =>
  `${rule} ${file} ${contextOf(bytes, span)}`;

export const readClasses = (root: string): Classes => {
  const file = join(root, FILE);
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, HarmlessClass>));
};

/** Spans that nobody looked at, written down for somebody to say what they are. */
export const addUnclassed = (root: string, keys: readonly string[]): void => {
  const classes = new Map(readClasses(root));
  for (const key of keys) if (!classes.has(key)) classes.set(key, 'unclassed');
  const sorted = [...classes].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(root, FILE), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
};
