/**
 * What a job says: references and limits, closed and versioned. It travels through a store that others may read and
 * write, so it has no member that could hold an item's text, a secret or a credential: a question and a brief are texts,
 * and a `source_question` is therefore no job. Everything else is resolved where the job runs.
 */
import { z } from 'zod';
import type { Code } from './codes.js';
import { AGENT_KINDS, PROVIDER_NAME } from './route.js';

export const JOB_SCHEMA_VERSION = 1;
/** Signed and as text. */
export const LARGEST_JOB_BYTES = 16 * 1024;
/** A job is signed for at most so long: 7 days. */
export const LONGEST_JOB_MS = 7 * 24 * 3600 * 1000;
/** Findings of one scan job as text. */
export const LARGEST_RESULT_BYTES = 8 * 1024 * 1024;
export const MOST_SHARDS = 1024;

/** Kinds that a job may send: every one whose words are all references. */
export const JOB_KINDS = [
  'intent_audit',
  'intent_consistency',
  'release_changelog',
  'reading',
  'change_review',
] as const;

export const JOB_ID = /^job-[a-z2-7]{26}$/;

// biome-ignore format: one name, one line
const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
/** Revisions, ranges and tags: one line of printable ASCII that no command line could read as a switch. */
const revision = z.string().regex(/^[!-,./-~][!-~]{0,511}$/);
const agent = z.string().refine((name) => Object.hasOwn(AGENT_KINDS, name) && name !== 'source-reader');
const MODEL = /^[A-Za-z0-9._:@+~-]+(?:\/[A-Za-z0-9._:@+~-]+)*$/;

const route = z
  .string()
  .max(192)
  .refine((text) => {
    const slash = text.indexOf('/');
    return slash > 0 && PROVIDER_NAME.test(text.slice(0, slash)) && MODEL.test(text.slice(slash + 1));
  });

const repository = z.union([
  /** Absolute; it must stand in a folder that the owner of the machine it runs on allows. */
  z.strictObject({
    path: z
      .string()
      .max(4096)
      .regex(/^\/[^\0]*$/),
  }),
  /** One of that owner's clone URLs, letter for letter. */
  z.strictObject({ clone: z.string().max(2048), commit: objectId }),
]);

const bundleTask = z.strictObject({
  do: z.enum(['send', 'plan']),
  kind: z.enum(JOB_KINDS),
  agent,
  range: revision.nullable(),
  intent: z
    .string()
    .regex(/^itd-\d{1,12}$/)
    .nullable(),
  from: revision.nullable(),
  to: revision.nullable(),
  /** Of a parked reading. */
  dispatch: z
    .string()
    .regex(/^rdg-\d{1,32}$/)
    .nullable(),
  /** `PROVIDER/MODEL`, both names of the machine file where it runs. */
  route,
  expect: z
    .string()
    .regex(/^(?:bundle:)?sha256:[0-9a-f]{64}$/)
    .nullable(),
});

const scanTask = z.strictObject({
  do: z.literal('scan'),
  /** Tracked files of this commit; with `range` what the commits of the range bring. */
  commit: objectId,
  range: revision.nullable(),
  /** The same in every shard of one scan. */
  group: z.string().regex(/^scn-[a-z2-7]{26}$/),
  shard: z.strictObject({ index: z.int().min(0), of: z.int().min(1).max(MOST_SHARDS) }),
});

export const jobSchema = z.strictObject({
  v: z.literal(JOB_SCHEMA_VERSION),
  id: z.string().regex(JOB_ID),
  /** Milliseconds since 1970. */
  made: z.int().min(0),
  expires: z.int().min(0),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  repository,
  task: z.union([bundleTask, scanTask]),
  limits: z.strictObject({
    /** How often it may be begun in all. */
    attempts: z.int().min(1).max(20),
    /** 1 is first. */
    priority: z.int().min(1).max(9),
  }),
  /** The job that a person had sent again. */
  retries: z.string().regex(JOB_ID).nullable(),
});

export type Job = Readonly<z.output<typeof jobSchema>>;
export type JobRepository = Job['repository'];
export type JobTask = Job['task'];
export type BundleTask = Readonly<z.output<typeof bundleTask>>;
export type ScanTask = Readonly<z.output<typeof scanTask>>;

/** What makes no call: scans and plans. */
export const SCAN_LANE = 'scan';

/** Of any lane. */
export const LANE = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Where a job waits: one lane a provider, so that each has its own rate and concurrency. */
export const laneOf = ({ task }: Pick<Job, 'task'>): string =>
  task.do === 'send' ? providerLane(task.route.slice(0, task.route.indexOf('/'))) : SCAN_LANE;

export const providerLane = (provider: string): string => `send-${provider}`;

export type JobOutcome = 'sent' | 'planned' | 'scanned' | 'refused' | 'provider_failed' | 'unknown' | 'cancelled';

/** How a job ended, once. Closed words, digests and numbers only. */
export interface JobEnd {
  readonly outcome: JobOutcome;
  readonly code: Code | null;
  /** Of the run on the machine it ran on. */
  readonly record: string | null;
  /** Name of that machine as its worker gives it. */
  readonly machine: string | null;
  readonly bundle: string | null;
  readonly approval: string | null;
  readonly items: number;
  readonly bytes: number;
  readonly blanked: number;
  readonly findings: number;
}

export const noFigures = {
  record: null,
  machine: null,
  bundle: null,
  approval: null,
  items: 0,
  bytes: 0,
  blanked: 0,
  findings: 0,
} as const;

/** Stopped before anything of it left. */
export const CANCELLED_END: JobEnd = { ...noFigures, outcome: 'cancelled', code: 'CANCELLED' };

/** What is on no dead-letter list, and never runs again. */
export const isDone = (outcome: JobOutcome): boolean =>
  outcome === 'sent' || outcome === 'planned' || outcome === 'scanned';

export interface JobProgress {
  readonly stage: 'plan' | 'scan' | 'seal' | 'send' | 'answer';
  readonly items: number;
  readonly bytes: number;
  readonly findings: number;
}
