/** Runs of the record as the API shows them: the members that `records list|show|verify --json` prints. */
import { z } from 'zod';
import { CODES, type Code } from '../../contract/codes.js';

const codes = Object.keys(CODES) as [Code, ...Code[]];
const count = z.int().min(0);
const OUTCOMES = ['sent', 'provider_failed', 'refused', 'host', 'unknown'] as const;

/** As records write it, so that times compare as texts. */
const time = z.iso.datetime({ precision: 3 });

export const recordQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().max(64).optional().describe('The `next` of the page before.'),
  kind: z.string().max(64).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  code: z.enum(codes).optional(),
  since: time.optional().describe('The earliest beginning.'),
  until: time.optional().describe('The latest beginning.'),
  q: z.string().min(1).max(128).optional().describe('Stands in the id or another word of the run.'),
});

const summary = z.object({
  id: z.string(),
  time: z.string(),
  verb: z.string(),
  outcome: z.enum(OUTCOMES),
  code: z.enum(codes).nullable(),
  agent: z.string().nullable(),
  kind: z.string().nullable(),
  project: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  items: count.nullable(),
  bytes: count.nullable(),
  blanked: count.nullable(),
  attempts: count,
});

export const recordPage = z.object({
  records: z.array(summary),
  next: z.string().nullable(),
  found: count.describe('Runs that fit the query, of the newest 50,000.'),
});

/** A row as it was written; its members beside these are the event’s. */
const row = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  time: z.string(),
  event: z.enum(['start', 'end', 'refused', 'host', 'repair']),
  prev: z.string(),
  hash: z.string(),
});

export const recordDocument = z.object({ summary, rows: z.array(row) });

export const verificationDocument = z.object({
  whole: z.boolean(),
  rows: count,
  files: count,
  last_hash: z.string().describe('Worth keeping elsewhere.'),
  break: z.object({ file: z.string(), line: count, reason: z.string() }).nullable(),
  notes: z.array(z.string()),
  unfinished: z.array(z.string()),
});

export const verifiedRunDocument = verificationDocument.extend({
  id: z.string(),
  bundle: z
    .object({
      answer: z.enum(['same', 'differs', 'cannot be rebuilt']),
      what: z.string().optional(),
      recorded_digest: z.string().optional(),
      rebuilt_digest: z.string().optional(),
      notes: z.array(z.string()),
    })
    .nullable()
    .describe('`null` where the chain is broken: then the record is no ground to compare with.'),
});
