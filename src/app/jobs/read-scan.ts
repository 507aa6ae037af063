/** A sharded scan as one: how many shards have ended, and when all have, what they found in the order of one scan. */
import { ColdsealError } from '../../contract/error.js';
import type { JobQueue, JobView } from '../../contract/job-queue.js';
import { shardJobId } from './make-job.js';
import { mergeResults, readResult, type ScanResult } from './scan-result.js';
import { type JobKey, readSignedJob } from './sign-job.js';

export interface ScanState {
  readonly shards: number;
  readonly ended: number;
  /** Ended and not scanned, in shard order. */
  readonly failed: readonly JobView[];
  /** `null` until every shard was scanned. */
  readonly result: ScanResult | null;
}

/** A shard is retried so often at most; each time by a person. */
const MOST_RETRIES = 1000;

/** `USAGE` for a group that is not there, `JOB_FORGED` for a successor that nobody signed as one. */
export const readScan = async (queue: JobQueue, group: string, key: JobKey): Promise<ScanState> => {
  const first = await queue.show(shardJobId(group, 0));
  if (first?.text === null || first === null) {
    throw new ColdsealError('USAGE', `there is no scan ${group}, or the queue has let go of it`);
  }
  const { task } = readSignedJob(first.text, key);
  const of = task.do === 'scan' ? task.shard.of : 0;
  const views: JobView[] = [];
  for (let index = 0; index < of; index += 1) {
    const view = await newest(queue, shardJobId(group, index), key);
    if (view !== null) views.push(view);
  }
  const ended = views.filter(({ state }) => state === 'ended');
  const failed = ended.filter(({ end }) => end?.outcome !== 'scanned');
  const isWhole = ended.length === of && failed.length === 0;
  return { shards: of, ended: ended.length, failed, result: isWhole ? await merged(queue, views) : null };
};

/** A shard that a person retried is the job that came of it. Who writes to Redis can note any id; a retry is signed as one. */
const newest = async (queue: JobQueue, id: string, key: JobKey): Promise<JobView | null> => {
  let view = await queue.show(id);
  for (let retries = 0; view !== null && view.retriedAs !== null; retries += 1) {
    const next = await queue.show(view.retriedAs);
    const isRetry = next === null || next.text === null || readSignedJob(next.text, key).retries === view.id;
    if (!isRetry || retries === MOST_RETRIES) {
      throw new ColdsealError('JOB_FORGED', `${view.id} is noted as retried by a job that was not made of it`);
    }
    view = next;
  }
  return view;
};

const merged = async (queue: JobQueue, views: readonly JobView[]): Promise<ScanResult> => {
  const results: ScanResult[] = [];
  for (const { id } of views) {
    const result = readResult((await queue.result(id)) ?? '');
    if (result === null) throw new ColdsealError('JOB_INVALID', `what ${id} found is gone or is no result`);
    results.push(result);
  }
  return mergeResults(results);
};
