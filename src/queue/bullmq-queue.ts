/**
 * The fleet's queue: BullMQ over Redis or Valkey, one BullMQ queue a lane, and beside each job the once-state that decides
 * between machines. The once-state is written before BullMQ's job and outlives it: what BullMQ hands out without one, or
 * after its end, is a replay.
 */
import { type Job as BullJob, type JobType, Queue } from 'bullmq';
import { ColdsealError } from '../contract/error.js';
import { CANCELLED_END, LANE, SCAN_LANE } from '../contract/job.js';
import type {
  Cancelled,
  JobCounts,
  JobEvent,
  JobFilter,
  JobQueue,
  JobView,
  JobWorker,
  QueuedJob,
  WorkRequest,
} from '../contract/job-queue.js';
import { openLaneWorkers } from './bullmq-worker.js';
import { type Durability, judgeDurability } from './judge-durability.js';
import { jobOptions, QUEUE_TIMES, type QueueTimes } from './lane-options.js';
import { type OnceRow, OnceStore, PREFIX } from './once-store.js';
import { openRedisLink, type RedisLink, type RedisPlace } from './redis-link.js';
import { viewOf } from './view-job.js';
import { watchLanes } from './watch-lanes.js';

/** What BullMQ holds of a job. */
export interface BullData {
  readonly signed: string;
}

/** Names of the lanes that ever had a job. */
const LANES_KEY = `${PREFIX}:lanes`;

const TYPES: Readonly<Record<JobFilter['state'], readonly JobType[]>> = {
  waiting: ['wait', 'prioritized'],
  delayed: ['delayed'],
  running: ['active'],
  sending: ['active'],
  ended: ['completed', 'failed'],
  dead: ['failed'],
  all: ['active', 'wait', 'prioritized', 'delayed', 'completed', 'failed'],
};

export class BullQueue implements JobQueue {
  readonly #link: RedisLink;
  readonly #once: OnceStore;
  readonly #times: QueueTimes;
  readonly #queues = new Map<string, Queue<BullData>>();
  #durability: Promise<Durability> | null = null;

  constructor(place: RedisPlace, times: QueueTimes = QUEUE_TIMES) {
    this.#link = openRedisLink(place);
    this.#once = new OnceStore(this.#link);
    this.#times = times;
  }

  async add(jobs: readonly QueuedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const lanes = [...new Set(jobs.map(({ lane }) => lane))];
    if (lanes.some((lane) => lane !== SCAN_LANE)) await this.#judged();
    await this.#link.ask((redis) => redis.sadd(LANES_KEY, ...lanes));
    const addedMs = Date.now();
    try {
      await this.#once.add(jobs, addedMs);
      for (const lane of lanes) {
        const bulk = jobs
          .filter((job) => job.lane === lane)
          .map((job) => ({ name: 'job', data: { signed: job.text }, opts: jobOptions(job) }));
        await this.#link.ask(() => this.#queue(lane).addBulk(bulk));
      }
      this.#link.wrote();
    } catch (error) {
      await this.#takeBack(jobs, addedMs);
      throw error;
    }
  }

  /** A call that was given up may still be heard: what the caller is told was not added must not run. `JOB_UNKNOWN`. */
  async #takeBack(jobs: readonly QueuedJob[], addedMs: number): Promise<void> {
    const taken = await this.#once.takeBack(jobs, addedMs, CANCELLED_END).catch(() => []);
    const left = jobs.filter((_, at) => taken[at] !== true).map(({ id }) => id);
    for (const [at, { id, lane }] of jobs.entries()) {
      if (taken[at] === true) await this.#link.ask(() => this.#queue(lane).remove(id)).catch(() => undefined);
    }
    const [first] = left;
    if (first === undefined) return;
    throw new ColdsealError(
      'JOB_UNKNOWN',
      `the queue went away while jobs were added: ${left.length} of ${jobs.length} may be in it, the first ${first}. Ask \`coldseal jobs show ${first}\` before you add them again.`,
      { facts: { job: first, jobs: left.length } },
    );
  }

  async show(id: string): Promise<JobView | null> {
    const [once = null] = await this.#once.read([id]);
    if (once === null) return null;
    const queue = this.#queue(once.lane);
    return this.#link.ask(async () => {
      const job = (await queue.getJob(id)) ?? null;
      return viewOf(id, once, job, job === null ? 'unknown' : await queue.getJobState(id));
    });
  }

  result(id: string): Promise<string | null> {
    return this.#once.result(id);
  }

  async list({ state, limit }: JobFilter): Promise<readonly JobView[]> {
    const views: JobView[] = [];
    for (const lane of await this.#lanes()) {
      for (const type of TYPES[state]) {
        const jobs = await this.#link.ask(() => this.#queue(lane).getJobs([type], 0, limit - 1, false));
        const rows = await this.#once.read(jobs.map(({ id = '' }) => id));
        views.push(...jobs.flatMap((job, at) => listed(job, rows[at] ?? null, type)));
      }
    }
    const wanted = state === 'sending' || state === 'running' ? views.filter((view) => view.state === state) : views;
    return wanted.sort((a, b) => b.addedMs - a.addedMs).slice(0, limit);
  }

  async counts(): Promise<JobCounts> {
    const total = { waiting: 0, delayed: 0, running: 0, dead: 0 };
    for (const lane of await this.#lanes()) {
      const counts = await this.#link.ask(() =>
        this.#queue(lane).getJobCounts('wait', 'prioritized', 'delayed', 'active', 'failed'),
      );
      const of = (name: string): number => counts[name] ?? 0;
      total.waiting += of('wait') + of('prioritized');
      total.delayed += of('delayed');
      total.running += of('active');
      total.dead += of('failed');
    }
    return { ...total, unknown: await this.#once.unknown() };
  }

  async cancel(id: string): Promise<Cancelled> {
    const cancelled = await this.#once.cancel(id, CANCELLED_END);
    if (cancelled !== 'cancelled') return cancelled;
    const [once = null] = await this.#once.read([id]);
    // A worker that has just been handed it finds it ended; else it need not wait for one.
    if (once !== null) await this.#link.ask(() => this.#queue(once.lane).remove(id)).catch(() => undefined);
    return cancelled;
  }

  async markRetried(id: string, newId: string): Promise<boolean> {
    const [once = null] = await this.#once.read([id]);
    const before = once?.retriedAs ?? null;
    const [earlier = null] = before === null ? [] : await this.#once.read([before]);
    return this.#once.markRetried(id, newId, earlier === null ? before : null);
  }

  watch(lanes: readonly string[], onEvent: (event: JobEvent) => void): Promise<() => Promise<void>> {
    return watchLanes(this.#link, lanes, onEvent);
  }

  /** `QUEUE_UNSAFE` where the server could forget that a job was sent and a lane sends. */
  async work(request: WorkRequest): Promise<JobWorker> {
    for (const { lane, sharedConcurrency } of request.lanes) {
      if (sharedConcurrency !== null) {
        await this.#link.ask(() => this.#queue(lane).setGlobalConcurrency(sharedConcurrency));
      }
    }
    const settle = async (): Promise<void> => (await this.#judged()).settle();
    return openLaneWorkers({ request, link: this.#link, once: this.#once, times: this.#times, settle });
  }

  async requireDurable(): Promise<void> {
    this.#durability = null;
    await this.#judged();
  }

  async close(): Promise<void> {
    for (const queue of this.#queues.values()) await queue.close().catch(() => undefined);
    await this.#link.close();
  }

  /** Asked once, and again after a refusal. */
  #judged(): Promise<Durability> {
    if (this.#durability !== null) return this.#durability;
    const judged = judgeDurability(this.#link);
    this.#durability = judged;
    judged.catch(() => {
      if (this.#durability === judged) this.#durability = null;
    });
    return judged;
  }

  async #lanes(): Promise<readonly string[]> {
    const lanes = await this.#link.ask((redis) => redis.smembers(LANES_KEY));
    return lanes.filter((lane) => LANE.test(lane)).sort();
  }

  #queue(lane: string): Queue<BullData> {
    const known = this.#queues.get(lane);
    if (known !== undefined) return known;
    const queue = new Queue<BullData>(lane, { connection: this.#link.prompt, prefix: PREFIX });
    queue.on('error', this.#link.note);
    this.#queues.set(lane, queue);
    return queue;
  }
}

const listed = (
  job: Pick<BullJob<BullData>, 'id' | 'data' | 'progress' | 'timestamp'>,
  once: OnceRow | null,
  type: JobType,
): readonly JobView[] => (job.id === undefined || once === null ? [] : [viewOf(job.id, once, job, type)]);
