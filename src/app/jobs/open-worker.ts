/**
 * A worker of this machine: one pool of scan threads for its life, a lane for every provider that the machine file
 * configures and one for scans and plans. Settings are read again for each job, as the service does for each request.
 */
import { createHash } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import { JOB_ID, providerLane, SCAN_LANE } from '../../contract/job.js';
import type { Delivered, JobQueue, JobWorker, LaneWork } from '../../contract/job-queue.js';
import type { RunEvent } from '../../contract/observer.js';
import type { QueueSettings, Settings } from '../../contract/settings.js';
import { openScanner } from '../open-scanner.js';
import { readMachineSettings } from '../read-settings-here.js';
import type { Surroundings } from '../surroundings.js';
import { tellNotices } from '../tell-notices.js';
import { openCloneCache } from './clone-cache.js';
import { resolveJobKey } from './job-key.js';
import { runJob } from './run-job.js';
import { openSentMarks } from './sent-marks.js';
import { openShardPlans } from './shard-objects.js';

export interface WorkerWords {
  readonly surroundings: Surroundings;
  readonly queue: JobQueue;
  /** Jobs at once in each lane; `null` for what the machine file says. */
  readonly concurrency: number | null;
  /** Only these lanes, or all. */
  readonly lanes: readonly string[];
  readonly observe: (event: RunEvent) => void;
  /** How a delivery ended, in closed words. */
  readonly tellEnd: (line: string) => void;
}

export interface OpenWorker {
  readonly machine: string;
  readonly lanes: readonly LaneWork[];
  readonly worker: JobWorker;
  /** Ends the scan threads; the worker is drained or abandoned before. */
  close(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 4;

/** `CONFIG_*`, `CREDENTIAL_MISSING`, `SCANNER_DEGRADED`, `USAGE`, `QUEUE_*`. */
export const openWorker = async (words: WorkerWords): Promise<OpenWorker> => {
  const { surroundings, queue, observe, tellEnd } = words;
  const { settings } = await readMachineSettings(surroundings);
  const toldNotices = new Set<string>();
  tellNotices({ ...surroundings, toldNotices }, settings.notices);
  await resolveJobKey(surroundings, settings);
  const lanes = chooseLanes(settings, words);
  const own = join(settings.machineFolder, 'coldseal');
  const machine = await machineName(own, surroundings);
  const marks = openSentMarks(join(own, 'jobs'));
  await marks.sweep(surroundings.now().getTime());
  const { clonesFolder: folder, clonesCapBytes: capBytes } = settings.own.queue;
  const clones = openCloneCache({ folder, capBytes, surroundings });
  const plans = openShardPlans();
  const scanner = await openScanner(surroundings, settings.own.threads, 'all');
  const shared = { ...surroundings, sharedScanner: scanner, toldNotices };
  const keepAnswer = (jobId: string, text: string): Promise<void> => keepAnswerIn(join(own, 'answers'), jobId, text);
  try {
    const worker = await queue.work({
      lanes,
      machine,
      run: async (delivery, signal) => {
        const { settings: now } = await readMachineSettings(shared);
        const key = await resolveJobKey(shared, now);
        const runner = { surroundings: shared, settings: now, key, machine, marks, clones, plans, keepAnswer, observe };
        const delivered = await runJob(runner, delivery, signal);
        tell(delivery.id, delivered, tellEnd);
        return delivered;
      },
    });
    return { machine, lanes, worker, close: () => scanner.close() };
  } catch (error) {
    await scanner.close();
    throw error;
  }
};

/** The name stands in the queue, where others may write: what is no name of ours is not shown. */
const tell = (id: string, delivered: Delivered, tellEnd: WorkerWords['tellEnd']): void => {
  const job = JOB_ID.test(id) ? id : 'a job of no name of ours';
  if (delivered.kind === 'end') {
    const { outcome, code } = delivered.end;
    tellEnd(`coldseal: ${job} ended ${outcome}${code === null ? '' : ` (${code})`}`);
  } else if (delivered.kind === 'again') tellEnd(`coldseal: ${job} is begun again later (${delivered.code})`);
};

const chooseLanes = (settings: Settings, { concurrency, lanes: asked }: WorkerWords): readonly LaneWork[] => {
  const { queue } = settings.own;
  const all = [SCAN_LANE, ...[...settings.providers.keys()].map(providerLane)];
  const unknown = asked.find((lane) => !all.includes(lane));
  if (unknown !== undefined) {
    throw new ColdsealError('USAGE', `there is no such lane here; the lanes of this machine are ${all.join(', ')}`);
  }
  return all
    .filter((lane) => asked.length === 0 || asked.includes(lane))
    .map((lane) => ({
      lane,
      concurrency: concurrency ?? queue.concurrency ?? DEFAULT_CONCURRENCY,
      ...limitsOf(lane, queue),
    }));
};

/** A rate is about providers: scans and plans make no call. */
const limitsOf = (lane: string, queue: QueueSettings): Pick<LaneWork, 'sharedConcurrency' | 'rate'> => {
  if (lane === SCAN_LANE) return { sharedConcurrency: null, rate: null };
  const own = [...queue.providers].find(([provider]) => providerLane(provider) === lane)?.[1];
  return { sharedConcurrency: own?.concurrency ?? null, rate: own?.rate ?? queue.rate };
};

/**
 * The machine as jobs know it: its host's name and what tells its machine folder from any other, drawn once. Two workers
 * of one machine folder are one machine: they share records and marks.
 */
const machineName = async (folder: string, { random }: Surroundings): Promise<string> => {
  const file = join(folder, 'machine-id');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const drawn = Buffer.from(random(16)).toString('hex');
  // Linked when it is whole: of two workers that start at once, both read the same name.
  const draft = join(folder, `machine-id.${drawn.slice(0, 12)}`);
  await writeFile(draft, `${drawn}\n`, { flag: 'wx', mode: 0o600 });
  await link(draft, file).catch(() => undefined);
  await rm(draft, { force: true });
  const id = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);
  return `${hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 64)}-${id}`;
};

const keepAnswerIn = async (folder: string, jobId: string, text: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, `${jobId}.answer`), text, { mode: 0o600, flag: 'wx' });
};
