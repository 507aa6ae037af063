/**
 * This machine's own memory of which jobs it began to send, one small file a job. Redis decides between machines; should
 * it forget (a disk lost, a restore from yesterday, a failover to a replica that lagged), the machine that sent still
 * knows. A mark is made exclusively and is on disk before the first byte of the body.
 */
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { JOB_ID, LONGEST_JOB_MS } from '../../contract/job.js';

const DAY_MS = 24 * 3600 * 1000;

export interface SentMarks {
  /** The record of the run that began to send the job, or `null`. */
  find(jobId: string): Promise<string | null>;
  /** `JOB_UNKNOWN` when another run has begun to send it; `RECORD_UNWRITABLE`. */
  put(jobId: string, record: string): Promise<void>;
  /** The bundle was turned away whole. */
  remove(jobId: string): Promise<void>;
  /** Removes marks of jobs that have expired long ago. */
  sweep(nowMs: number): Promise<void>;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown fault';

/** @param folder absolute, under the machine folder; made with mode 0700 at the first mark */
export const openSentMarks = (folder: string): SentMarks => {
  const fileOf = (jobId: string): string => {
    if (!JOB_ID.test(jobId)) throw new ColdsealError('INTERNAL', 'a mark was asked for what is no job’s id');
    return join(folder, jobId);
  };
  const find = async (jobId: string): Promise<string | null> => {
    try {
      return (await readFile(fileOf(jobId), 'utf8')).trim();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw unwritable(error);
    }
  };
  return {
    find,
    put: async (jobId, record) => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeExclusively(fileOf(jobId), `${record}\n`);
        await syncFolder(folder);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw unwritable(error);
        const before = await find(jobId);
        if (before !== record) throw begunBefore(before ?? 'unread');
      }
    },
    remove: (jobId) => rm(fileOf(jobId), { force: true }),
    sweep: async (nowMs) => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => JOB_ID.test(one))) {
        const facts = await stat(join(folder, name)).catch(() => null);
        if (facts !== null && facts.mtimeMs < nowMs - LONGEST_JOB_MS - DAY_MS) {
          await rm(join(folder, name), { force: true });
        }
      }
    },
  };
};

const writeExclusively = async (file: string, text: string): Promise<void> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export const begunBefore = (record: string): ColdsealError =>
  new ColdsealError(
    'JOB_UNKNOWN',
    `this machine began to send the job before, in run ${record}, and the queue has forgotten it; it is not sent again by itself`,
    { facts: { record } },
  );

const unwritable = (error: unknown): ColdsealError =>
  new ColdsealError(
    'RECORD_UNWRITABLE',
    `the mark that a job is being sent cannot be written or read (${codeOf(error)}), so nothing was sent. Make room, or correct the owner of the machine folder.`,
    { cause: error },
  );
