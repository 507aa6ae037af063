/** A job that scans one slice of a repository's objects. Nothing is sent and nothing is recorded, as with `scan`. */

import { ColdsealError } from '../../contract/error.js';
import { type Job, noFigures, type ScanTask } from '../../contract/job.js';
import type { Delivered, Delivery } from '../../contract/job-queue.js';
import type { RunEvent } from '../../contract/observer.js';
import { readBrought } from '../scan/read-brought.js';
import { reportFacts } from '../scan/report-facts.js';
import { scanFiles } from '../scan/scan-files.js';
import { withScanSession } from '../scan/scan-session.js';
import type { Surroundings } from '../surroundings.js';
import { addReports, emptyResult, resultText } from './scan-result.js';
import type { ShardPlans } from './shard-objects.js';

export interface ScanJobRun {
  readonly task: ScanTask;
  /** The job's word for its repository. */
  readonly named: Job['repository'];
  readonly plans: ShardPlans;
  readonly delivery: Delivery;
  /** Of the job's repository, with the worker's threads and the job's signal. */
  readonly surroundings: Surroundings;
  readonly machine: string;
  readonly observe: (event: RunEvent) => void;
}

/** `NOT_A_REPOSITORY`, `NO_RANGE`, `ITEM_UNREADABLE`, `JOB_TOO_LARGE`, the signal's reason. */
export const runScanJob = async ({
  task,
  named,
  plans,
  delivery,
  surroundings,
  machine,
  observe,
}: ScanJobRun): Promise<Delivered> =>
  withScanSession(surroundings, async (session) => {
    const { repository, bounds } = session;
    if (repository === null) throw new ColdsealError('NOT_A_REPOSITORY', 'there is no git repository to scan');
    const { objects, sizes } = await plans.sliceOf(repository, surroundings.folder, task, named);
    const facts = await reportFacts(surroundings, session, false);
    const result = emptyResult();
    const scan = { session, facts, observe, includesBinary: false };
    const reading = { signal: bounds.signal, includesBinary: false, sizes };
    for await (const reports of scanFiles(scan, readBrought(repository, objects, reading))) {
      addReports(result, reports);
      const { files: items, bytes, findings } = result;
      delivery.progress({ stage: 'scan', items, bytes, findings: findings.length });
    }
    const { files: items, bytes, findings } = result;
    const end = {
      ...noFigures,
      outcome: 'scanned',
      code: null,
      machine,
      items,
      bytes,
      findings: findings.length,
    } as const;
    return { kind: 'end', end, result: resultText(result) };
  });
