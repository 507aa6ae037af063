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

/** `USAGE` for a group that is not there. */
export const readScan = async (queue: JobQueue, group: string, key: JobKey): Promise<ScanState> => {
  const first = await queue.show(shardJobId(group, 0));
  if (first?.text === null || first === null) {
    throw new ColdsealError('USAGE', `there is no scan ${group}, or the queue has let go of it`);
  }
  const { task } = readSignedJob(first.text, key);
  const of = task.do === 'scan' ? task.shard.of : 0;
  const views: JobView[] = [];
  for (let index = 0; index < of; index += 1) {
    const view = await newest(queue, shardJobId(group, index));
    if (view !== null) views.push(view);
  }
  const ended = views.filter(({ state }) => state === 'ended');
  const failed = ended.filter(({ end }) => end?.outcome !== 'scanned');
  const isWhole = ended.length === of && failed.length === 0;
  return { shards: of, ended: ended.length, failed, result: isWhole ? await merged(queue, views) : null };
};

/** A shard that a person retried is the job that came of it. */
const newest = async (queue: JobQueue, id: string): Promise<JobView | null> => {
  const view = await queue.show(id);
  return view?.retriedAs === null || view === null ? view : await newest(queue, view.retriedAs);
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
