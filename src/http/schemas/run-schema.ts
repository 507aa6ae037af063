/** What a request for a run says, and the documents it is answered with: the same members that `--json` prints. */
import { z } from 'zod';
import { CODES, type Code } from '../../contract/codes.js';
import { INPUTS, KINDS } from '../../contract/item.js';

const text = (most: number) => z.string().min(1).max(most);

/** A provider, a list, a cap, a brief and a file are the owner's to say; a body that names one is refused. */
export const runBody = z.strictObject({
  repository: text(4096).describe('Absolute path inside a folder of `coldseal.service.repositories`.'),
  kind: z.enum(KINDS),
  range: text(1024).optional().describe('`A..B`; the kind’s default when left out.'),
  question: text(65_536).optional().describe('For `source_question`.'),
  intent: text(64).optional().describe('`itd-<digits>`, for the kinds that are about an intent.'),
  from: text(1024).optional().describe('Tag, for `release_changelog`.'),
  to: text(1024).optional().describe('Revision, for `release_changelog`.'),
  dispatch: text(64).optional().describe('`rdg-<digits>`, for `reading`.'),
  route: z
    .string()
    .regex(/^[a-z0-9-]{1,64}=host-decides$/)
    .optional()
    .describe('`AGENT=host-decides`; which provider takes a run is the owner’s to say.'),
  expect: text(128).optional().describe('The approval digest of a plan, or `bundle:` and a bundle digest.'),
});
export type RunBody = z.output<typeof runBody>;

const codes = Object.keys(CODES) as [Code, ...Code[]];
const count = z.int().min(0);
const digest = z.string();

const routeSchema = z.object({
  agent: z.string(),
  provider: z.string().nullable(),
  model_asked: z.string().nullable(),
  model_reported: z.string().optional(),
  origin: z.enum(['flag', 'repository', 'machine', 'none']),
  remote: z.boolean(),
  host: z.string().optional(),
});

const bundleSchema = z.object({
  kind: z.string(),
  list_origin: z.string(),
  project: z.string().nullable(),
  range: z.object({ base: z.string(), head: z.string() }).optional(),
  items: z.array(
    z.object({
      id: z.string(),
      input: z.enum(INPUTS),
      path: z.string().optional(),
      label: z.string().optional(),
      raw_bytes: count,
      bytes: count,
      omitted: z.enum(['binary', 'withheld']).optional(),
      lossy: count.optional(),
      encoding: z.string().optional(),
      text: z.string().optional().describe('The blanked text, where a plan was asked for it.'),
    }),
  ),
  deleted: z.array(z.string()).optional(),
  bytes: count,
  raw_bytes: count,
  cap: count,
  cap_origin: z.string(),
  digest,
  approval: digest.optional(),
  tokens_est: count,
  blanked: z.array(z.object({ item: z.string(), line: count, kind: z.string(), rule: z.string() })),
  unscanned_at_assembly: count.optional(),
  scanned_now: count.optional(),
});

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]).optional());

const outcomeMembers = {
  code: z.enum(codes).optional(),
  message: z.string().optional(),
  facts: facts.optional(),
  route: routeSchema.optional(),
  bundle: bundleSchema.optional(),
  answer: z
    .object({
      path: z.string().optional(),
      bytes: count,
      finish_reason: z.string().nullable(),
      usage: z.record(z.string(), z.number()).optional(),
    })
    .optional(),
  record: z.object({ id: z.string(), path: z.string() }).optional(),
} as const;

export const planDocument = z.object({
  outcome: z.enum(['planned', 'host']),
  ...outcomeMembers,
  notes: z.array(z.string()).describe('What the command line would say beside the plan.'),
});

const progressSchema = z.object({
  stage: z.enum(['plan', 'scan', 'seal', 'send', 'answer']),
  items: count,
  items_due: count.nullable(),
  bytes: count,
  bytes_due: count.nullable(),
  bundle_bytes: count.describe('After blanking: what counts against the cap.'),
  cap: count.nullable(),
  blanked: count,
});

export const dispatchDocument = z.object({
  id: z.string().describe('The record’s id.'),
  state: z.enum(['running', 'ended']),
  kind: z.string().nullable(),
  verb: z.string(),
  begun: z.string(),
  progress: progressSchema.optional().describe('Left out for a run of an earlier start of the service.'),
  outcome: z.enum(['sent', 'host', 'refused', 'provider_failed', 'failed', 'unknown']).optional(),
  ...outcomeMembers,
  answer_text: z.string().nullable().optional().describe('The answer, while the service still has it.'),
  notes: z.array(z.string()),
});
/** Without what grows with the bundle or the answer. */
export const briefDispatch = dispatchDocument.omit({ bundle: true, answer_text: true });
export type DispatchDocument = z.output<typeof dispatchDocument>;
