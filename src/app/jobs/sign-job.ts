/**
 * The signature of a job: HMAC-SHA256 over its canonical JSON with the owner's shared key. Who can write to Redis can
 * then take jobs away or hand one out again, but cannot make one or change a word of one. The signature is judged before
 * any member is looked at, and each refusal has its own code.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { RefusalCode } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { JOB_SCHEMA_VERSION, type Job, jobSchema, LARGEST_JOB_BYTES, LONGEST_JOB_MS } from '../../contract/job.js';

/** In front of what is signed, so that the key's other uses, if any, cannot stand in for it. */
const CONTEXT = 'coldseal-job';
const SCHEME = 'hmac-sha256:';
/** Clocks of two machines may differ by so much. */
const CLOCK_MS = 5 * 60_000;

/** The key's bytes; 32 or more. */
export type JobKey = Uint8Array;

const signatureOf = (value: unknown, key: JobKey): Buffer =>
  createHmac('sha256', key)
    .update(`${CONTEXT}\n${canonicalJson(value)}`)
    .digest();

/** The text that travels. */
export const signJob = (job: Job, key: JobKey): string =>
  JSON.stringify({ job, signature: `${SCHEME}${signatureOf(job, key).toString('hex')}` });

const refuse = (code: RefusalCode, message: string): never => {
  throw new ColdsealError(code, message);
};

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below: what does not parse is no more a job than what is no object.
  }
  return refuse('JOB_INVALID', 'the job is not one JSON object');
};

const isSignedBy = (job: unknown, signature: string, key: JobKey): boolean => {
  if (!signature.startsWith(SCHEME)) return false;
  const given = Buffer.from(signature.slice(SCHEME.length), 'hex');
  try {
    const due = signatureOf(job, key);
    return given.length === due.length && timingSafeEqual(given, due);
  } catch {
    // Nested too deep to be written out: none of ours.
    return false;
  }
};

const versionOf = (job: unknown): unknown => (typeof job === 'object' && job !== null && 'v' in job ? job.v : null);

/**
 * The job behind a text. `JOB_TOO_LARGE`, `JOB_INVALID`, `JOB_UNSIGNED`, `JOB_FORGED`, `JOB_OUTDATED`.
 * No message quotes the job: it is not ours until it was judged.
 */
export const readSignedJob = (text: string, key: JobKey): Job => {
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_JOB_BYTES) {
    refuse('JOB_TOO_LARGE', `the job has ${bytes} bytes; a job of references has at most ${LARGEST_JOB_BYTES}`);
  }
  const { job, signature } = parse(text);
  if (typeof signature !== 'string' || signature === '') return refuse('JOB_UNSIGNED', 'the job carries no signature');
  if (!isSignedBy(job, signature, key)) {
    return refuse('JOB_FORGED', 'the job’s signature does not fit what it says, or was made with another key');
  }
  if (versionOf(job) !== JOB_SCHEMA_VERSION) {
    return refuse('JOB_OUTDATED', `the job’s schema version is not ${JOB_SCHEMA_VERSION}, the one this build reads`);
  }
  const read = jobSchema.safeParse(job);
  if (!read.success) {
    const members = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].slice(0, 8).join(', ');
    return refuse('JOB_INVALID', `the job does not read as its schema says, at: ${members}`);
  }
  return read.data;
};

/** The same, and not over yet. `JOB_EXPIRED` besides. */
export const openJob = (text: string, key: JobKey, nowMs: number): Job => {
  const job = readSignedJob(text, key);
  const { made, expires } = job;
  if (expires < nowMs || made > nowMs + CLOCK_MS || expires - made > LONGEST_JOB_MS) {
    return refuse('JOB_EXPIRED', 'the time the job was signed for is over, not begun, or longer than 7 days');
  }
  return job;
};
