/** `coldseal work`: runs jobs of the queue on this machine until it is told to end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readJobFacts } from '../../app/jobs/open-jobs.js';
import { type OpenWorker, openWorker } from '../../app/jobs/open-worker.js';
import { ColdsealError } from '../../contract/error.js';
import { SCAN_LANE } from '../../contract/job.js';
import type { BullQueue } from '../../queue/bullmq-queue.js';
import { openQueue } from '../../queue/open-queue.js';
import { backoffMs } from '../../queue/redis-link.js';
import { numberOption } from '../number-option.js';
import { flagOption, listOption, textOption, type VerbAction } from '../verb-context.js';

const DEFAULT_DRAIN_SECONDS = 600;
const LOOK_MS = 500;

export const work: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const { signal, say } = surroundings;
  const concurrency = numberOption(words, 'concurrency', '--concurrency', { most: 1024 });
  const drainSeconds = numberOption(words, 'drainTimeout', '--drain-timeout', { most: 86_400 });
  const drainMs = (drainSeconds ?? DEFAULT_DRAIN_SECONDS) * 1000;
  const lanes = listOption(words, 'lane');
  const { address } = await readJobFacts(surroundings, textOption(words, 'queue'));
  const queue = openQueue(address, say);
  try {
    await untilReached(queue, signal);
    if (signal.aborted) return 0;
    // Told before anything is taken; each send asks again.
    if (lanes.length === 0 || lanes.some((lane) => lane !== SCAN_LANE)) await queue.requireDurable();
    const tellEnd = flags.quiet ? () => undefined : say;
    const open = await openWorker({ surroundings, queue, concurrency, lanes, observe: () => undefined, tellEnd });
    try {
      const shown = open.lanes.map((lane) => `${lane.lane} (${lane.concurrency} at once)`).join(', ');
      if (!flags.quiet) say(`coldseal: worker ${open.machine} takes from ${shown}; end it with Ctrl-C`);
      if (flags.json) await terminal.write(`${JSON.stringify({ machine: open.machine, lanes: open.lanes })}\n`);
      await (flagOption(words, 'untilEmpty') ? untilEmpty(queue, signal) : untilTold(signal));
      await drain(open, drainMs, say);
    } finally {
      await open.close();
    }
  } finally {
    await queue.close();
  }
  return 0;
};

/** A worker starts before its Redis, or while that is away: it waits, and its link says once what it waits for. */
const untilReached = async (queue: BullQueue, signal: AbortSignal): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await queue.counts();
      return;
    } catch (error) {
      if (!(error instanceof ColdsealError) || !error.code.startsWith('QUEUE_')) throw error;
      await sleep(backoffMs(tries), undefined, { signal }).catch(() => undefined);
    }
  }
};

const untilTold = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const untilEmpty = async (queue: BullQueue, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const { waiting, delayed, running } = await queue.counts();
    if (waiting + delayed + running === 0) return;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
};

/** What runs may end; what does not in time is left to others, or is unknown if its body had begun to leave. */
const drain = async ({ worker }: OpenWorker, mostMs: number, say: (line: string) => void): Promise<void> => {
  const running = worker.running();
  if (running > 0) say(`coldseal: ${running} jobs still run; nothing new is taken, waiting up to ${mostMs / 1000} s`);
  const late = new AbortController();
  const drained = worker.drain().then(() => true);
  const inTime = await Promise.race([drained, sleep(mostMs, false, { signal: late.signal }).catch(() => false)]);
  late.abort();
  if (!inTime) await worker.abandon();
};
