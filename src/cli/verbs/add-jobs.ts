/** `coldseal jobs add|scan`: signs jobs of references and puts them into the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleJob, type JobLimits, repositoryHere, scanJobs } from '../../app/jobs/ask-jobs.js';
import { JOB_DEFAULTS } from '../../app/jobs/make-job.js';
import { jobMaking } from '../../app/jobs/open-jobs.js';
import { readScan } from '../../app/jobs/read-scan.js';
import { ColdsealError } from '../../contract/error.js';
import { JOB_KINDS, type JobRepository, LONGEST_JOB_MS, MOST_SHARDS } from '../../contract/job.js';
import { nearestName, orNearest } from '../../contract/nearest-name.js';
import { printable } from '../../contract/printable.js';
import { numberOption } from '../number-option.js';
import { flagOption, textOption, type VerbAction, type VerbContext, type VerbWords } from '../verb-context.js';
import { withQueue } from './jobs.js';
import { describeScan } from './scan-jobs.js';

const HOUR_MS = 3600 * 1000;
const LOOK_MS = 200;

const limitsOf = (words: VerbWords): JobLimits => {
  const lifeHours = numberOption(words, 'expiresIn', '--expires-in', { most: LONGEST_JOB_MS / HOUR_MS });
  return {
    attempts: numberOption(words, 'attempts', '--attempts', { most: 20 }) ?? JOB_DEFAULTS.attempts,
    priority: numberOption(words, 'priority', '--priority', { most: 9 }) ?? JOB_DEFAULTS.priority,
    lifeMs: lifeHours === null ? JOB_DEFAULTS.lifeMs : lifeHours * HOUR_MS,
  };
};

interface Meant {
  readonly repository: JobRepository;
  readonly commit: string;
}

/** `--clone URL --commit ID`, else the repository around the folder with `--commit REV` or HEAD. */
const meant = async ({ surroundings }: VerbContext, words: VerbWords): Promise<Meant> => {
  const clone = textOption(words, 'clone');
  const commit = textOption(words, 'commit');
  if (clone !== null) {
    if (commit === null || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
      throw new ColdsealError('USAGE', '--clone needs --commit with the full name of a commit');
    }
    return { repository: { clone, commit }, commit };
  }
  const revision = commit ?? 'HEAD';
  const here = await repositoryHere(surroundings, revision);
  if (here.commit === null) throw new ColdsealError('NO_RANGE', `${printable(revision)} names no commit here`);
  return { repository: { path: here.path }, commit: here.commit };
};

export const addJob: VerbAction = (context, words) =>
  withQueue(context, words, async (queue, { settings }) => {
    const { flags, terminal, surroundings } = context;
    const [typed = ''] = words.args;
    const kind = JOB_KINDS.find((one) => one === typed);
    if (kind === undefined) {
      const known = `a job takes one of the kinds ${JOB_KINDS.join(', ')}`;
      throw new ColdsealError(
        'USAGE',
        `there is no job of kind ${printable(typed)}${orNearest(nearestName(typed, JOB_KINDS), known)}`,
      );
    }
    const option = (name: string): string | undefined => textOption(words, name) ?? undefined;
    const asked = {
      repository: (await meant(context, words)).repository,
      words: {
        kind,
        range: option('range'),
        intent: option('intent'),
        from: option('from'),
        to: option('to'),
        dispatch: option('dispatch'),
        expect: option('expect'),
      },
      isPlan: flagOption(words, 'plan'),
      agent: textOption(words, 'agent'),
      route: textOption(words, 'route'),
      limits: limitsOf(words),
    };
    const job = bundleJob(asked, settings, await jobMaking(surroundings, settings));
    await queue.add([job]);
    await terminal.write(flags.json ? `${JSON.stringify({ job: job.id, lane: job.lane })}\n` : `${job.id}\n`);
    return 0;
  });

export const scanByJobs: VerbAction = (context, words) =>
  withQueue(context, words, async (queue, { settings }) => {
    const { flags, terminal, surroundings } = context;
    const making = await jobMaking(surroundings, settings);
    const { group, jobs } = scanJobs(
      {
        ...(await meant(context, words)),
        range: textOption(words, 'range'),
        shards: numberOption(words, 'shards', '--shards', { most: MOST_SHARDS }) ?? 1,
        limits: limitsOf(words),
      },
      making,
    );
    await queue.add(jobs);
    if (!flagOption(words, 'wait')) {
      const ids = jobs.map(({ id }) => id);
      await terminal.write(flags.json ? `${JSON.stringify({ group, jobs: ids })}\n` : `${group}\n`);
      return 0;
    }
    for (;;) {
      surroundings.signal.throwIfAborted();
      const state = await readScan(queue, group, making.key);
      if (state.ended === state.shards) return describeScan(context, group, state);
      await sleep(LOOK_MS, undefined, { signal: surroundings.signal });
    }
  });
