/** New jobs: identity, time, nonce and signature over what a person or a program asked for. */
import { createHash } from 'node:crypto';
import { ColdsealError } from '../../contract/error.js';
import {
  JOB_SCHEMA_VERSION,
  type Job,
  type JobRepository,
  type JobTask,
  jobSchema,
  LARGEST_JOB_BYTES,
  laneOf,
  type ScanTask,
} from '../../contract/job.js';
import type { QueuedJob } from '../../contract/job-queue.js';
import { type JobKey, signJob } from './sign-job.js';

export interface JobWords {
  readonly repository: JobRepository;
  readonly task: JobTask;
  readonly attempts: number;
  readonly priority: number;
  readonly retries: string | null;
  /** How long it may wait for a worker. */
  readonly lifeMs: number;
}

export const JOB_DEFAULTS = { attempts: 5, priority: 5, retries: null, lifeMs: 24 * 3600 * 1000 } as const;

/** The once-state of a job is kept so long after it expired: a replay then is refused for its age. */
const KEPT_AFTER_MS = 24 * 3600 * 1000;

export interface JobMaking {
  readonly key: JobKey;
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const word = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, 26)].map((byte) => ALPHABET.charAt(byte & 31)).join('');

export const newJobId = (random: JobMaking['random']): string => `job-${word(random(26))}`;
export const newScanGroup = (random: JobMaking['random']): string => `scn-${word(random(26))}`;

/** The job of one shard, so that a scan's shards are found by its group alone. */
export const shardJobId = (group: string, index: number): string =>
  `job-${word(createHash('sha256').update(`${group}:${index}`).digest())}`;

const idOf = ({ task, retries }: JobWords, random: JobMaking['random']): string =>
  task.do === 'scan' && retries === null ? shardJobId(task.group, task.shard.index) : newJobId(random);

/** `JOB_INVALID` naming the members, `JOB_TOO_LARGE`. */
export const makeJob = (words: JobWords, { key, now, random }: JobMaking): QueuedJob => {
  const { repository, task, attempts, priority, retries, lifeMs } = words;
  const made = now().getTime();
  const read = jobSchema.safeParse({
    v: JOB_SCHEMA_VERSION,
    id: idOf(words, random),
    made,
    expires: made + lifeMs,
    nonce: Buffer.from(random(16)).toString('hex'),
    repository,
    task,
    limits: { attempts, priority },
    retries,
  });
  if (!read.success) {
    const members = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].join(', ');
    throw new ColdsealError('JOB_INVALID', `the job does not read as its schema says, at: ${members}`);
  }
  return queued(read.data, key);
};

const queued = (job: Job, key: JobKey): QueuedJob => {
  const text = signJob(job, key);
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_JOB_BYTES) {
    throw new ColdsealError('JOB_TOO_LARGE', `the job has ${bytes} bytes; it may have ${LARGEST_JOB_BYTES}`);
  }
  return {
    id: job.id,
    lane: laneOf(job),
    nonce: job.nonce,
    text,
    priority: job.limits.priority,
    keepUntilMs: job.expires + KEPT_AFTER_MS,
  };
};

/** The jobs of one scan, one a shard, in order. */
export const scanTasks = (scan: Omit<ScanTask, 'do' | 'shard'>, shards: number): readonly ScanTask[] =>
  Array.from({ length: shards }, (_, index) => ({ ...scan, do: 'scan', shard: { index, of: shards } }));
