/** From what a person or a program asks for to jobs that can be added. */
import { ColdsealError } from '../../contract/error.js';
import type { JobRepository, JobTask } from '../../contract/job.js';
import { jobSchema } from '../../contract/job.js';
import type { QueuedJob } from '../../contract/job-queue.js';
import { printable } from '../../contract/printable.js';
import type { Settings } from '../../contract/settings.js';
import { openRunRepository } from '../open-place.js';
import { type ProgramWords, programWords } from '../run-words.js';
import type { Surroundings } from '../surroundings.js';
import { bundleTask } from './bundle-task.js';
import { type JobMaking, type JobWords, makeJob, newScanGroup, scanTasks } from './make-job.js';

export type JobLimits = Pick<JobWords, 'attempts' | 'priority' | 'lifeMs'>;

export interface BundleAsked {
  readonly repository: JobRepository;
  readonly words: ProgramWords;
  readonly isPlan: boolean;
  /** A reading's names its position; `null` for the kind's own. */
  readonly agent: string | null;
  /** `PROVIDER/MODEL`, or `null` for what the machine file routes the agent to. */
  readonly route: string | null;
  readonly limits: JobLimits;
}

/**
 * `USAGE`, `NO_ROUTE`, `JOB_INVALID`. The route is settled here: it names the lane, and a lane is where a rate is kept.
 * Where the job runs it is judged by that machine's own file, as one that is typed.
 */
export const bundleJob = (asked: BundleAsked, settings: Settings, making: JobMaking): QueuedJob => {
  const agent = asked.agent ?? programWords(asked.words, asked.isPlan).agent;
  const route = asked.route ?? ownRoute(agent, settings);
  const task = bundleTask({ do: asked.isPlan ? 'plan' : 'send', words: asked.words, agent, route });
  return makeJob({ repository: asked.repository, task: taskOf(task), retries: null, ...asked.limits }, making);
};

const ownRoute = (agent: string, { roles, machineFile }: Settings): string => {
  const role = roles.get(agent);
  if (role !== undefined) return `${role.provider}/${role.model}`;
  throw new ColdsealError(
    'NO_ROUTE',
    `a job names its provider, and ${printable(machineFile)} routes ${printable(agent)} to none. Set oracle.roles.${printable(agent)}, or name PROVIDER/MODEL.`,
    { facts: { agent: printable(agent) } },
  );
};

/** `JOB_INVALID` naming the members that a job cannot carry; a question is a text, and texts make no job. */
const taskOf = (task: unknown): JobTask => {
  const read = jobSchema.shape.task.safeParse(task);
  if (read.success) return read.data;
  const members = [...new Set(read.error.issues.flatMap((issue) => membersOf(issue)))].join(', ');
  throw new ColdsealError(
    'JOB_INVALID',
    `the words make no job${members === '' ? '' : `, at: ${members}`}. A job holds references only; a source_question has a text and is asked where it is run.`,
  );
};

const membersOf = (issue: {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly errors?: unknown;
}): readonly string[] => {
  const inner = Array.isArray(issue.errors) ? (issue.errors[0] as { readonly path: readonly PropertyKey[] }[]) : [];
  return [...(issue.path.length > 0 ? [issue.path.join('.')] : []), ...inner.map(({ path }) => path.join('.'))];
};

export interface ScanAsked {
  readonly repository: JobRepository;
  readonly commit: string;
  readonly range: string | null;
  readonly shards: number;
  readonly limits: JobLimits;
}

export interface ScanJobs {
  readonly group: string;
  /** In shard order. */
  readonly jobs: readonly QueuedJob[];
}

/** `JOB_INVALID`. */
export const scanJobs = ({ repository, commit, range, shards, limits }: ScanAsked, making: JobMaking): ScanJobs => {
  const group = newScanGroup(making.random);
  const tasks = scanTasks({ commit, range, group }, shards);
  return { group, jobs: tasks.map((task) => makeJob({ repository, task, retries: null, ...limits }, making)) };
};

/** The repository around the folder and a commit of it by its full name. `NOT_A_REPOSITORY`, `NO_RANGE`. */
export const repositoryHere = async (
  surroundings: Surroundings,
  revision: string,
): Promise<{ readonly path: string; readonly commit: string | null }> => {
  const repository = await openRunRepository(surroundings);
  try {
    return { path: repository.workTree ?? repository.gitFolder, commit: await repository.resolveCommit(revision) };
  } finally {
    await repository.close();
  }
};
