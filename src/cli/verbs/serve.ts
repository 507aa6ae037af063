/** `coldseal serve`: the service until it is interrupted. Its address goes to stdout, everything else to stderr. */
import { readJobFacts } from '../../app/jobs/open-jobs.js';
import { parseListen } from '../../app/parse-listen.js';
import { ColdsealError } from '../../contract/error.js';
import { startService } from '../../http/start-service.js';
import { openQueue } from '../../queue/open-queue.js';
import { textOption, type VerbAction, type VerbWords } from '../verb-context.js';

const DEFAULT_MOST_RUNS = 64;
const DEFAULT_GRACE_SECONDS = 30;

const numberOption = (words: VerbWords, name: string, flag: string, fallback: number, most: number): number => {
  const typed = textOption(words, name);
  if (typed === null) return fallback;
  const number = Number(typed);
  if (/^\d{1,6}$/.test(typed) && number <= most && (number > 0 || fallback === DEFAULT_GRACE_SECONDS)) return number;
  throw new ColdsealError('USAGE', `${flag} takes a whole number up to ${most}`);
};

export const serve: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const typed = textOption(words, 'listen');
  const graceSeconds = numberOption(words, 'grace', '--grace', DEFAULT_GRACE_SECONDS, 3600);
  const { signal } = surroundings;
  // The signal ends the service, not what runs in it: runs have their own.
  const forService = { ...surroundings, signal: new AbortController().signal };
  const typedQueue = textOption(words, 'queue');
  const address = typedQueue === null ? null : (await readJobFacts(surroundings, typedQueue)).address;
  const queue = address === null ? null : openQueue(address, terminal.say);
  const running = await startService({
    surroundings: forService,
    ...(queue === null ? {} : { queue }),
    listen: typed === null ? null : parseListen(typed),
    mostRuns: numberOption(words, 'runs', '--runs', DEFAULT_MOST_RUNS, 1024),
    logLevel: flags.quiet ? 'silent' : flags.verbose ? 'debug' : 'info',
  }).catch(async (error: unknown) => {
    await queue?.close();
    throw error;
  });
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
  }
  return 0;
};
