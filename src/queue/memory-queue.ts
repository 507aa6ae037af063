/**
 * The default: a queue in this process, for one machine. It needs nothing and keeps nothing: what waits when the program
 * ends was never begun, and its records say so. Its rules are those of the fleet's queue, judged by the same tests.
 */
import { CANCELLED_END, isDone, type JobEnd } from '../contract/job.js';
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
import { QUEUE_TIMES, type QueueTimes } from './lane-options.js';
import { type MemoryJob, newMemoryJob, stateOf } from './memory-job.js';
import { openMemoryWorker } from './memory-worker.js';

/** Ended jobs that are still shown. */
const MOST_ENDED = 10_000;

/** What a worker asks of the queue it takes from. */
export interface MemoryShelf {
  readonly times: QueueTimes;
  readonly now: () => number;
  /** The next of the lane that may run, handed out under a new lease; `null` when none may. */
  take(lane: string): { readonly job: MemoryJob; readonly token: string } | null;
  ended(job: MemoryJob, end: JobEnd, result: string | null): void;
  again(job: MemoryJob, delayMs: number): void;
  tell(event: JobEvent): void;
  /** Called when something may have become ready to run; the function ends it. */
  onChange(listener: () => void): () => void;
  /** Jobs of a lane that run, of all workers. */
  running(lane: string): number;
}

export class MemoryQueue implements JobQueue {
  readonly #jobs = new Map<string, MemoryJob>();
  readonly #watchers = new Set<{ readonly lanes: ReadonlySet<string>; readonly onEvent: (event: JobEvent) => void }>();
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #shelf: MemoryShelf;
  readonly #now: () => number;
  #tokens = 0;

  constructor(now: () => number, times: QueueTimes = QUEUE_TIMES) {
    this.#now = now;
    this.#shelf = {
      times,
      now,
      take: (lane) => this.#take(lane),
      ended: (job, end, result) => this.#end(job, end, result),
      again: (job, delayMs) => this.#again(job, delayMs),
      tell: (event) => this.#tell(event),
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      running: (lane) => [...this.#jobs.values()].filter((job) => job.lane === lane && job.place === 'active').length,
    };
  }

  /** It lives as long as who asks. */
  requireDurable(): Promise<void> {
    return Promise.resolve();
  }

  async add(jobs: readonly QueuedJob[]): Promise<void> {
    for (const job of jobs) {
      if (this.#jobs.has(job.id)) continue;
      this.#jobs.set(job.id, newMemoryJob(job, this.#now()));
      this.#tell({ kind: 'state', id: job.id, state: 'waiting' });
    }
    this.#changed();
  }

  async show(id: string): Promise<JobView | null> {
    const job = this.#jobs.get(id);
    return job === undefined ? null : viewOf(job);
  }

  async result(id: string): Promise<string | null> {
    return this.#jobs.get(id)?.result ?? null;
  }

  async list({ state, limit }: JobFilter): Promise<readonly JobView[]> {
    return [...this.#jobs.values()]
      .map(viewOf)
      .filter((view) => state === 'all' || (state === 'dead' ? isDead(view.end) : view.state === state))
      .sort((a, b) => b.addedMs - a.addedMs)
      .slice(0, limit);
  }

  async counts(): Promise<JobCounts> {
    const views = [...this.#jobs.values()].map(viewOf);
    const count = (fits: (view: JobView) => boolean): number => views.filter(fits).length;
    return {
      waiting: count(({ state }) => state === 'waiting'),
      delayed: count(({ state }) => state === 'delayed'),
      running: count(({ state }) => state === 'running' || state === 'sending'),
      dead: count(({ end }) => isDead(end)),
      unknown: count(({ end, retriedAs }) => end?.outcome === 'unknown' && retriedAs === null),
    };
  }

  async cancel(id: string): Promise<Cancelled> {
    const job = this.#jobs.get(id);
    if (job === undefined) return 'missing';
    if (job.once === 'ended' || job.once === 'sending') return job.once;
    if (job.once === 'claimed') {
      job.isStopped = true;
      return 'stopping';
    }
    this.#end(job, CANCELLED_END, null);
    return 'cancelled';
  }

  async markRetried(id: string, newId: string): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job?.once !== 'ended') return false;
    if (job.retriedAs !== null && this.#jobs.has(job.retriedAs)) return false;
    job.retriedAs = newId;
    return true;
  }

  async watch(lanes: readonly string[], onEvent: (event: JobEvent) => void): Promise<() => Promise<void>> {
    const watcher = { lanes: new Set(lanes), onEvent };
    this.#watchers.add(watcher);
    return async () => {
      this.#watchers.delete(watcher);
    };
  }

  async work(request: WorkRequest): Promise<JobWorker> {
    return openMemoryWorker(this.#shelf, request);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#listeners.clear();
    this.#watchers.clear();
  }

  #take(lane: string): ReturnType<MemoryShelf['take']> {
    let first: MemoryJob | null = null;
    for (const job of this.#jobs.values()) {
      if (job.lane !== lane || job.place !== 'waiting') continue;
      if (first === null || job.priority < first.priority) first = job;
    }
    if (first === null) return null;
    this.#tokens += 1;
    first.place = 'active';
    first.lock = `lease-${this.#tokens}`;
    this.#tell({ kind: 'state', id: first.id, state: 'running' });
    return { job: first, token: first.lock };
  }

  #end(job: MemoryJob, end: JobEnd, result: string | null): void {
    job.once = 'ended';
    job.place = 'ended';
    job.end = end;
    job.result = result;
    this.#tell({ kind: 'ended', id: job.id });
    const ended = [...this.#jobs.values()].filter(({ once }) => once === 'ended');
    for (const old of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) this.#jobs.delete(old.id);
    this.#changed();
  }

  #again(job: MemoryJob, delayMs: number): void {
    job.lock = null;
    job.place = delayMs > 0 ? 'delayed' : 'waiting';
    if (delayMs <= 0) {
      this.#changed();
      return;
    }
    this.#tell({ kind: 'state', id: job.id, state: 'delayed' });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (job.place === 'delayed') job.place = 'waiting';
      this.#changed();
    }, delayMs);
    this.#timers.add(timer);
  }

  #tell(event: JobEvent): void {
    const lane = this.#jobs.get(event.id)?.lane ?? '';
    for (const { lanes, onEvent } of this.#watchers) if (lanes.has(lane)) onEvent(event);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const isDead = (end: JobEnd | null): boolean => end !== null && !isDone(end.outcome);

const viewOf = (job: MemoryJob): JobView => ({
  id: job.id,
  lane: job.lane,
  state: stateOf(job),
  claims: job.claims,
  addedMs: job.addedMs,
  machine: job.machine,
  progress: job.progress,
  end: job.end,
  retriedAs: job.retriedAs,
  text: job.text,
});
