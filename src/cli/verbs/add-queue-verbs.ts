/** Verbs of the fleet: a worker, and the jobs it runs. */
import { type Command, Option } from 'commander';
import type { Wire } from '../program.js';

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const queueOption = (): Option =>
  new Option('--queue <url>', 'redis:// or rediss:// of the queue, else coldseal.queue.url of the machine file');

/** What is the same for every job that is added. */
const withJobOptions = (command: Command): Command =>
  command
    .addOption(queueOption())
    .option('--clone <url>', 'a clone URL of the owner’s list instead of the repository here; needs --commit')
    .option('--commit <rev>', 'the commit that is meant, HEAD when left out')
    .option('--priority <1-9>', '1 is first, 5 when left out')
    .option('--attempts <n>', 'how often it may be begun in all, 5 when left out')
    .option('--expires-in <hours>', 'how long it may wait for a worker, 24 when left out');

export const addQueueVerbs = (program: Command, wire: Wire): void => {
  program
    .command('work')
    .description('run jobs of the queue on this machine until it is told to end')
    .addOption(queueOption())
    .option('--concurrency <n>', 'jobs at once in each lane')
    .addOption(new Option('--lane <lane>', 'take from this lane only; may be repeated').argParser(collect).default([]))
    .option('--drain-timeout <seconds>', 'how long what runs may go on once it is told to end, 600 when left out')
    .option('--until-empty', 'end when nothing waits and nothing runs')
    .addHelpText('after', '\nExample:\n  coldseal work --queue redis://queue.internal:6379')
    .action(wire(async () => (await import('./work.js')).work));

  const jobs = program.command('jobs').description('the queue’s jobs: references and limits, signed, run once');
  withJobOptions(jobs.command('add'))
    .description('add a job that plans or sends a bundle')
    .argument('<kind>', 'change_review, intent_audit, intent_consistency, release_changelog or reading')
    .option('--plan', 'plan where it runs, send nothing')
    .option('--range <a..b>', 'the commits it is about')
    .option('--intent <itd-id>', 'the intent it is about')
    .option('--from <tag>', 'the base of a release’s cut')
    .option('--to <rev>', 'its head')
    .option('--dispatch <rdg-id>', 'the parked reading')
    .option('--agent <agent>', 'the agent, for a reading that of its position')
    .option('--route <provider/model>', 'the provider and model, else what the machine file routes the agent to')
    .option('--expect <digest>', 'send only this: the approval digest of a plan, or `bundle:` and the bundle digest')
    .addHelpText('after', '\nExample:\n  coldseal -C /srv/git/app jobs add change_review --range main..HEAD')
    .action(wire(async () => (await import('./add-jobs.js')).addJob));
  withJobOptions(jobs.command('scan'))
    .description('scan a commit’s files, or what a range brings, over many workers')
    .option('--range <a..b>', 'what these commits bring instead of the whole tree')
    .option('--shards <n>', 'in how many jobs of about the same bytes, 1 when left out')
    .option('--wait', 'wait for all shards and print what they found, in order')
    .addHelpText('after', '\nExample:\n  coldseal -C /srv/git/app jobs scan --shards 8 --wait')
    .action(wire(async () => (await import('./add-jobs.js')).scanByJobs));
  jobs
    .command('list')
    .description('list jobs, the newest first')
    .addOption(queueOption())
    .option('--state <state>', 'all, waiting, delayed, running, sending, ended or dead')
    .option('--limit <number>', 'at most this many, 100 when left out')
    .addHelpText('after', '\nExample:\n  coldseal jobs list --state dead')
    .action(wire(async () => (await import('./jobs.js')).listJobs));
  jobs
    .command('show')
    .description('show one job, or one scan whole')
    .argument('<id>', 'a job’s id, or a scan’s as `jobs scan` printed it')
    .addOption(queueOption())
    .addHelpText('after', '\nExample:\n  coldseal jobs show job-abcdefghijklmnopqrstuvwxyz --json')
    .action(wire(async () => (await import('./jobs.js')).showJob));
  jobs
    .command('retry')
    .description('run ended jobs again, as new jobs')
    .argument('<id...>', 'ids of jobs that ended without being done')
    .addOption(queueOption())
    .option('--may-bill-twice', 'also a job whose end is unknown: it may have been sent and may be billed twice')
    .addHelpText('after', '\nExample:\n  coldseal jobs retry job-abcdefghijklmnopqrstuvwxyz')
    .action(wire(async () => (await import('./jobs.js')).retryJobs));
  jobs
    .command('cancel')
    .description('cancel jobs of which nothing has left')
    .argument('<id...>', 'ids of jobs')
    .addOption(queueOption())
    .addHelpText('after', '\nExample:\n  coldseal jobs cancel job-abcdefghijklmnopqrstuvwxyz')
    .action(wire(async () => (await import('./jobs.js')).cancelJobs));
};
