/** `coldseal serve`: the service until it is interrupted. Its address goes to stdout, everything else to stderr. */
import { readJobFacts } from '../../app/jobs/open-jobs.js';
import { probeQueue } from '../../app/jobs/probe-queue.js';
import { parseListen } from '../../app/parse-listen.js';
import type { Surroundings } from '../../app/surroundings.js';
import { ColdsealError } from '../../contract/error.js';
import { startService } from '../../http/start-service.js';
import type { BullQueue } from '../../queue/bullmq-queue.js';
import { openQueue } from '../../queue/open-queue.js';
import { numberOption } from '../number-option.js';
import { textOption, type VerbAction } from '../verb-context.js';

const DEFAULT_MOST_RUNS = 64;
const DEFAULT_GRACE_SECONDS = 30;

export const serve: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  // Every word is read before the queue is opened: an open connection would keep a refused start from ending.
  const typed = textOption(words, 'listen');
  const listen = typed === null ? null : parseListen(typed);
  const graceSeconds = numberOption(words, 'grace', '--grace', { least: 0, most: 3600 }) ?? DEFAULT_GRACE_SECONDS;
  const mostRuns = numberOption(words, 'runs', '--runs', { most: 1024 }) ?? DEFAULT_MOST_RUNS;
  const { signal } = surroundings;
  // The signal ends the service, not what runs in it: runs have their own.
  const forService = { ...surroundings, signal: new AbortController().signal };
  const typedQueue = textOption(words, 'queue');
  const address = typedQueue === null ? null : (await readJobFacts(surroundings, typedQueue)).address;
  const queue = address === null ? null : openQueue(address, terminal.say);
  const running = await startService({
    surroundings: forService,
    ...(queue === null ? {} : { queue }),
    listen,
    mostRuns,
    logLevel: flags.quiet ? 'silent' : flags.verbose ? 'debug' : 'info',
  }).catch(async (error: unknown) => {
    await queue?.close();
    throw error;
  });
  const asked = queue === null ? Promise.resolve() : tellUnready(forService, queue, terminal.say);
  try {
    const { url, tokenFile } = running;
    await terminal.write(flags.json ? `${JSON.stringify({ url, token_file: tokenFile })}\n` : `${url}\n`);
    if (!flags.json) terminal.say(`coldseal: listens on ${url}; the token is in ${tokenFile}; end it with Ctrl-C`);
    if (!signal.aborted) {
      await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
    }
  } finally {
    await running.close(graceSeconds * 1000);
    await queue?.close();
    await asked;
  }
  return 0;
};

/** What keeps jobs from being added, told once at the start; `/readyz` says it for as long as it is so. */
const tellUnready = async (
  surroundings: Surroundings,
  queue: BullQueue,
  say: (line: string) => void,
): Promise<void> => {
  try {
    await probeQueue(surroundings, queue);
  } catch (error) {
    const [code, message] =
      error instanceof ColdsealError ? [error.code, error.message] : ['INTERNAL', 'a fault of ours'];
    say(`coldseal: not ready, nothing can be dispatched (${code}): ${message}`);
  }
};
