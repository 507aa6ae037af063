/** A person's word to run an ended job again: a new job with a name, a nonce and a signature of its own. */
import { ColdsealError } from '../../contract/error.js';
import { isDone } from '../../contract/job.js';
import type { JobQueue, JobView } from '../../contract/job-queue.js';
import { JOB_DEFAULTS, type JobMaking, makeJob } from './make-job.js';
import { readSignedJob } from './sign-job.js';

/** The new job's id. `USAGE`, `JOB_UNKNOWN` unless the person accepts a second bill, `JOB_*` for a text that is none of ours. */
export const retryJob = async (
  queue: JobQueue,
  id: string,
  mayBillTwice: boolean,
  making: JobMaking,
): Promise<string> => {
  const view = await queue.show(id);
  if (view === null) throw new ColdsealError('USAGE', `there is no job ${id}; \`coldseal jobs list\` lists them`);
  requireRetry(view, mayBillTwice);
  if (view.text === null) throw new ColdsealError('USAGE', `the queue has let go of ${id}; add it anew`);
  const { repository, task, limits } = readSignedJob(view.text, making.key);
  const job = makeJob({ ...JOB_DEFAULTS, ...limits, repository, task, retries: id }, making);
  // Noted first: of two people who retry at once, one makes a job.
  if (!(await queue.markRetried(id, job.id))) {
    const again = (await queue.show(id))?.retriedAs ?? 'another job';
    throw new ColdsealError('USAGE', `${id} was retried before, as ${again}`);
  }
  await queue.add([job]);
  return job.id;
};

const requireRetry = ({ id, state, end }: JobView, mayBillTwice: boolean): void => {
  if (state !== 'ended') throw new ColdsealError('USAGE', `${id} has not ended: it is ${state}`);
  if (end !== null && isDone(end.outcome)) throw new ColdsealError('USAGE', `${id} is done: ${end.outcome}`);
  if (end?.outcome !== 'unknown' || mayBillTwice) return;
  throw new ColdsealError(
    'JOB_UNKNOWN',
    `nobody knows whether ${id} was sent: its run ${end.record ?? ''} on ${end.machine ?? 'an unknown machine'} began and did not end. Look there and at the provider’s account; \`coldseal jobs retry ${id} --may-bill-twice\` sends it again.`,
    { facts: { job: id, record: end.record, machine: end.machine } },
  );
};
