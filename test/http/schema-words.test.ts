import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readBySchema } from '../../src/http/schema-words.js';

const SCHEMA = z.strictObject({
  repository: z.string().min(1).max(4),
  kind: z.enum(['change_review', 'reading']),
  range: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(9).optional(),
  id: z
    .string()
    .regex(/^rec-[a-z]$/)
    .optional(),
  since: z.iso.datetime().optional(),
  flag: z.boolean().optional(),
  many: z.array(z.string()).min(1).optional(),
});
const FITS = { repository: '/r', kind: 'reading' };

describe('a request that does not fit its schema', () => {
  it.each<[what: string, value: unknown, said: string]>([
    ['no body', null, 'the body is missing; it takes an object'],
    ['no object', 'x', 'the body takes an object'],
    ['no member', { kind: 'reading' }, '`repository` of the body is missing; it takes a text'],
    ['no choice', { repository: '/r' }, '`kind` of the body is missing; it takes change_review, reading'],
    [
      'a slip',
      { ...FITS, kind: 'change_revew' },
      '`kind` of the body is none of what it takes; did you mean change_review? it takes change_review, reading',
    ],
    [
      'a stranger',
      { ...FITS, kind: 'x' },
      '`kind` of the body is none of what it takes; it takes change_review, reading',
    ],
    ['another type', { ...FITS, range: { base: 'a' } }, '`range` of the body takes a text'],
    ['too long', { ...FITS, repository: '/long' }, '`repository` of the body takes at most 4 characters'],
    ['too small', { ...FITS, limit: '0' }, '`limit` of the body takes at least 1'],
    ['no number', { ...FITS, limit: 'x' }, '`limit` of the body takes a number'],
    ['half a number', { ...FITS, limit: '1.5' }, '`limit` of the body takes a whole number'],
    ['no id', { ...FITS, id: 'x' }, '`id` of the body must match /^rec-[a-z]$/'],
    ['no time', { ...FITS, since: 'x' }, '`since` of the body does not read as datetime'],
    ['no switch', { ...FITS, flag: 'x' }, '`flag` of the body takes true or false'],
    ['an empty list', { ...FITS, many: [] }, '`many` of the body takes at least 1 entries'],
    ['an entry', { ...FITS, many: [1] }, '`many.0` of the body takes a text'],
    ['a member too many', { ...FITS, cap: 3 }, 'the body takes no `cap`'],
  ])('is told in our words what is due: %s', (_what, value, said) => {
    expect(readBySchema(SCHEMA, 'body', value)).toEqual({ fault: `${said}; \`/openapi.json\` describes the route` });
  });

  it('names the part of the request, never says the value, and reads what fits', () => {
    const secret = 'f00df00df00d';
    const told = readBySchema(SCHEMA, 'querystring', { ...FITS, repository: secret });
    expect(told).toEqual({ fault: expect.stringContaining('`repository` of the query takes at most 4') });
    expect(JSON.stringify(told)).not.toContain(secret);
    expect(readBySchema(SCHEMA, 'body', { ...FITS, limit: '3' })).toEqual({ value: { ...FITS, limit: 3 } });
  });
});
