/** Run one git to its end and return what it wrote, or hand it on as it comes, within a deadline and an output limit. */
import { ColdsealError } from '../contract/error.js';
import { GitChild, type GitCommand } from './git-child.js';
import { gitFailure } from './git-failure.js';

export interface GitRun extends GitCommand {
  readonly verb: string;
  readonly signals: readonly AbortSignal[];
  readonly input: string | null;
  /** Over this many bytes of output the child is stopped. */
  readonly outputBytes: number;
  /** Ends other than 0 that are answers: `git config` says 1 when there is no such setting. */
  readonly alsoFine: readonly number[];
}

export interface GitOutput {
  readonly status: number;
  readonly stdout: Buffer;
}

/** Whole, in one piece. */
export const runGit = async (run: GitRun): Promise<GitOutput> => {
  const chunks: Buffer[] = [];
  const status = await followGit(run, (chunk) => chunks.push(chunk));
  return { status, stdout: Buffer.concat(chunks) };
};

/**
 * Hands each chunk on as it comes and keeps none; what `take` throws ends the child. Gives the child's status. The deadline
 * holds for the whole call: a child that drips is stopped too.
 */
export const followGit = async (run: GitRun, take: (chunk: Buffer) => void): Promise<number> => {
  const child = new GitChild(run, run.verb, run.signals);
  const timer = setTimeout(() => {
    child.fail(tooLong(run));
  }, run.deadlineMs);
  try {
    if (run.input !== null) child.write(run.input);
    child.endInput();
    let bytes = 0;
    for (let chunk = await child.nextChunk(); chunk !== null; chunk = await child.nextChunk()) {
      bytes += chunk.length;
      if (bytes > run.outputBytes) throw tooMuch(run);
      take(chunk);
    }
    const end = await child.end();
    if (end.status === null || (end.status !== 0 && !run.alsoFine.includes(end.status))) {
      throw gitFailure(run.verb, end, child.stderr);
    }
    return end.status;
  } finally {
    clearTimeout(timer);
    await child.close();
  }
};

const tooMuch = (run: GitRun): ColdsealError =>
  new ColdsealError(
    'GIT_FAILED',
    `git ${run.verb} wrote more than ${run.outputBytes} bytes, which is the limit. Narrow the range or the repository.`,
    { facts: { limit_bytes: run.outputBytes } },
  );

const tooLong = (run: GitRun): ColdsealError =>
  new ColdsealError(
    'GIT_FAILED',
    `git ${run.verb} took longer than ${run.deadlineMs / 1000} s, which is the limit; it was stopped.`,
    { facts: { limit_ms: run.deadlineMs } },
  );
