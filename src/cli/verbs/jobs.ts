/** `coldseal jobs list|show|retry|cancel`: what waits, runs and ended in the queue, and a person's word on it. */
import { jobMaking, readJobFacts } from '../../app/jobs/open-jobs.js';
import { readScan } from '../../app/jobs/read-scan.js';
import { retryJob } from '../../app/jobs/retry-job.js';
import { ColdsealError } from '../../contract/error.js';
import { JOB_ID } from '../../contract/job.js';
import type { JobFilter, JobView } from '../../contract/job-queue.js';
import { printable } from '../../contract/printable.js';
import { showCount } from '../../contract/show-amount.js';
import type { BullQueue } from '../../queue/bullmq-queue.js';
import { openQueue } from '../../queue/open-queue.js';
import { numberOption } from '../number-option.js';
import { formatTable } from '../tables.js';
import { flagOption, textOption, type VerbAction, type VerbContext, type VerbWords } from '../verb-context.js';
import { describeScan } from './scan-jobs.js';

const DEFAULT_LIMIT = 100;
const MOST_LISTED = 99_999;
const STATES = ['all', 'waiting', 'delayed', 'running', 'sending', 'ended', 'dead'] as const;

type Facts = Awaited<ReturnType<typeof readJobFacts>>;

/** Opens the queue that the words or the machine file name, and closes it whatever happens. */
export const withQueue = async <T>(
  { surroundings }: VerbContext,
  words: VerbWords,
  work: (queue: BullQueue, facts: Facts) => Promise<T>,
): Promise<T> => {
  const facts = await readJobFacts(surroundings, textOption(words, 'queue'));
  // A single command says what is wrong once, as its refusal.
  const queue = openQueue(facts.address, () => undefined);
  try {
    return await work(queue, facts);
  } finally {
    await queue.close();
  }
};

const filterOf = (words: VerbWords): JobFilter => {
  const typed = textOption(words, 'state') ?? 'all';
  const state = STATES.find((one) => one === typed);
  if (state === undefined) throw new ColdsealError('USAGE', `--state takes one of ${STATES.join(', ')}`);
  return { state, limit: numberOption(words, 'limit', '--limit', { most: MOST_LISTED }) ?? DEFAULT_LIMIT };
};

/** Members as other documents name theirs; never the signed text. */
const documentOf = ({ id, lane, state, claims, addedMs, machine, progress, end, retriedAs }: JobView) => ({
  id,
  lane,
  state,
  begun: claims,
  added: new Date(addedMs).toISOString(),
  machine,
  progress,
  end,
  retried_as: retriedAs,
});

const outcomeOf = ({ state, end }: JobView): string =>
  end === null ? state : end.code === null ? end.outcome : `${end.outcome} (${end.code})`;

export const listJobs: VerbAction = (context, words) =>
  withQueue(context, words, async (queue) => {
    const { flags, terminal } = context;
    const views = await queue.list(filterOf(words));
    const counts = await queue.counts();
    if (flags.json) {
      await terminal.write(`${JSON.stringify({ counts, jobs: views.map(documentOf) })}\n`);
      return 0;
    }
    const heads = ['job', 'added', 'lane', 'state', 'begun', 'record'].map((head) => ({ head }));
    const rows = views.map((view) => [
      view.id,
      new Date(view.addedMs).toISOString(),
      printable(view.lane),
      outcomeOf(view),
      String(view.claims),
      view.end?.record ?? '-',
    ]);
    if (rows.length > 0) await terminal.write(`${formatTable(heads, rows, null).join('\n')}\n`);
    const { waiting, delayed, running, dead, unknown } = counts;
    terminal.say(
      `coldseal: ${showCount(waiting)} wait, ${showCount(delayed)} wait for a later try, ${showCount(running)} run, ${showCount(dead)} are dead letters, ${showCount(unknown)} of them unknown`,
    );
    return 0;
  });

const describe = (view: JobView): readonly string[] => [
  `job       ${view.id}`,
  `lane      ${printable(view.lane)}`,
  `state     ${outcomeOf(view)}`,
  `begun     ${view.claims}`,
  ...(view.machine === null ? [] : [`machine   ${printable(view.machine)}`]),
  ...(view.progress === null || view.end !== null
    ? []
    : [`progress  ${view.progress.stage}: ${view.progress.items} items, ${showCount(view.progress.bytes)} bytes`]),
  ...(view.end === null
    ? []
    : [
        `record    ${view.end.record ?? '-'}`,
        `bundle    ${view.end.bundle ?? '-'}, ${view.end.items} items, ${showCount(view.end.bytes)} bytes`,
        `blanked   ${showCount(view.end.blanked)}`,
        `findings  ${showCount(view.end.findings)}`,
      ]),
  ...(view.retriedAs === null ? [] : [`retried   as ${view.retriedAs}`]),
];

const viewOf = async (queue: BullQueue, id: string): Promise<JobView> => {
  const view = JOB_ID.test(id) ? await queue.show(id) : null;
  if (view !== null) return view;
  throw new ColdsealError('USAGE', 'there is no such job; `coldseal jobs list` lists them');
};

export const showJob: VerbAction = (context, words) =>
  withQueue(context, words, async (queue, { settings }) => {
    const { flags, terminal, surroundings } = context;
    const [id = ''] = words.args;
    if (/^scn-[a-z2-7]{26}$/.test(id)) {
      const { key } = await jobMaking(surroundings, settings);
      return describeScan(context, id, await readScan(queue, id, key));
    }
    const view = await viewOf(queue, id);
    await terminal.write(flags.json ? `${JSON.stringify(documentOf(view))}\n` : `${describe(view).join('\n')}\n`);
    return 0;
  });

export const retryJobs: VerbAction = (context, words) =>
  withQueue(context, words, async (queue, { settings }) => {
    const { flags, terminal, surroundings } = context;
    const making = await jobMaking(surroundings, settings);
    const made: { readonly job: string; readonly retries: string }[] = [];
    for (const id of words.args) {
      await viewOf(queue, id);
      made.push({ job: await retryJob(queue, id, flagOption(words, 'mayBillTwice'), making), retries: id });
    }
    await terminal.write(
      flags.json
        ? `${JSON.stringify({ jobs: made })}\n`
        : made.map(({ job, retries }) => `${job} runs ${retries} again\n`).join(''),
    );
    return 0;
  });

const CANCEL_WORDS = {
  cancelled: 'is cancelled; it had not begun',
  stopping: 'runs and is stopped at its next step; nothing of it has left',
  sending: 'is being sent; what may have left cannot be called back',
  ended: 'has ended already',
  missing: 'is not there',
} as const;

/** 0 when every job is cancelled or will be; 2 where one was too late. */
export const cancelJobs: VerbAction = (context, words) =>
  withQueue(context, words, async (queue) => {
    const { flags, terminal } = context;
    const said: { readonly job: string; readonly answer: keyof typeof CANCEL_WORDS }[] = [];
    for (const id of words.args) said.push({ job: id, answer: JOB_ID.test(id) ? await queue.cancel(id) : 'missing' });
    await terminal.write(
      flags.json
        ? `${JSON.stringify({ jobs: said })}\n`
        : said.map(({ job, answer }) => `${printable(job)} ${CANCEL_WORDS[answer]}\n`).join(''),
    );
    return said.every(({ answer }) => answer === 'cancelled' || answer === 'stopping') ? 0 : 2;
  });
