/**
 * What a request that does not fit a route's schema is told: the member, and what is due there, in our words. The value is
 * never said, and neither is the schema library's wording: it changes with the library and speaks of its own types.
 */
import { z } from 'zod';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { printable } from '../contract/printable.js';

/** Parts of a request as Fastify names them. */
const PARTS: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};
const MOST_TOLD = 8;

/** `whole` is what an `int` of the schema is. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const typeWords = (expected: string): string => TYPES[expected] ?? 'another type';

type Raw = Parameters<z.core.$ZodErrorMap>[0];

const amount = (origin: string, bound: number | bigint): string =>
  origin === 'string' ? `${bound} characters` : origin === 'array' ? `${bound} entries` : `${bound}`;

const oneOf = (input: unknown, values: readonly unknown[]): string => {
  const names = values.map(String);
  const near = typeof input === 'string' ? nearestName(input, names) : null;
  return `is none of what it takes${orNearest(near, `it takes ${names.join(', ')}`)}`;
};

const dueWords = (issue: Raw): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === null
        ? `is missing; it takes ${typeWords(issue.expected)}`
        : `takes ${typeWords(issue.expected)}`;
    case 'invalid_value':
      return issue.input === undefined
        ? `is missing; it takes ${issue.values.join(', ')}`
        : oneOf(issue.input, issue.values);
    case 'too_small':
      return `takes at least ${amount(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `takes at most ${amount(issue.origin, issue.maximum)}`;
    case 'unrecognized_keys':
      return `takes no ${issue.keys.map((key) => `\`${printable(key)}\``).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${String(issue.pattern)}` : `does not read as ${issue.format}`;
    default:
      return 'is not what is due';
  }
};

/** Fits a Fastify validator compiler's argument: answers the value as read, or the sentence for the person. */
export const readBySchema = (
  schema: z.ZodType,
  part: string,
  value: unknown,
): { readonly value: unknown } | { readonly fault: string } => {
  const read = z.safeParse(schema, value, { error: dueWords });
  if (read.success) return { value: read.data };
  const place = PARTS[part] ?? 'request';
  const faults = read.error.issues
    .slice(0, MOST_TOLD)
    .map(
      ({ path, message }) =>
        `${path.length === 0 ? `the ${place}` : `\`${path.map((step) => printable(String(step))).join('.')}\` of the ${place}`} ${message}`,
    );
  return { fault: `${faults.join('; ')}; \`/openapi.json\` describes the route` };
};
