/** Run one git to its end and return what it wrote, within a deadline and an output limit. */
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

/** The deadline holds for the whole call: a child that drips is stopped too. */
export const runGit = async (run: GitRun): Promise<GitOutput> => {
  const child = new GitChild(run, run.verb, run.signals);
  const timer = setTimeout(() => {
    child.fail(tooLong(run));
  }, run.deadlineMs);
  try {
    if (run.input !== null) child.write(run.input);
    child.endInput();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (let chunk = await child.nextChunk(); chunk !== null; chunk = await child.nextChunk()) {
      bytes += chunk.length;
      if (bytes > run.outputBytes) throw tooMuch(run);
      chunks.push(chunk);
    }
    const end = await child.end();
    if (end.status === null || (end.status !== 0 && !run.alsoFine.includes(end.status))) {
      throw gitFailure(run.verb, end, child.stderr);
    }
    return { status: end.status, stdout: Buffer.concat(chunks, bytes) };
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
