/**
 * The one way to a repository. Names are resolved in the repository itself, once; everything else is read as objects in
 * an empty private git folder over the repository's objects, because a checkout's own settings can run programs and
 * change what a difference says (a committed `*.js -diff` turns a change of code into "Binary files differ").
 */
import { rm } from 'node:fs/promises';
import { ColdsealError } from '../contract/error.js';
import { followSignals } from '../contract/follow-signals.js';
import type { ObjectFormat, Repository } from '../contract/repository.js';
import { checkOwnership } from './check-ownership.js';
import { type Environment, temporaryRoot } from './environment.js';
import { GitCalls } from './git-calls.js';
import { type LocatedRepository, locateRepository } from './locate-repository.js';
import { OpenedRepository } from './opened-repository.js';
import { makePrivateFolder } from './private-folder.js';
import { readFormatAndHead } from './repository-names.js';

export interface OpenOptions {
  /** The caller's environment; `PATH` finds git, `TMPDIR` holds the private folder, `GIT_*` is dropped. */
  readonly environment: Environment;
  /** The caller's user id: the git folder belongs to it or to root. */
  readonly uid: number;
  /** Ends every child. */
  readonly signal: AbortSignal;
  /** For one call, and for every silence of a long one. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 60_000;
const parseFormat = (format: string): ObjectFormat => {
  if (format === 'sha1' || format === 'sha256') return format;
  throw new ColdsealError('GIT_FAILED', 'The repository has an object format that is not known here (sha1, sha256).');
};

/** What has to be known before objects can be read: one round of children, side by side. */
const readFacts = async (calls: GitCalls, located: LocatedRepository) => {
  const [{ format, head }, bare] = await Promise.all([
    readFormatAndHead(calls),
    calls.run('names', 'config', ['--type=bool', '--get', 'core.bare'], { alsoFine: [1] }),
  ]);
  // A linked work tree of a bare repository has a work tree although the shared settings say bare.
  const isBare = located.linkFile === null && bare.stdout.toString('latin1').trim() === 'true';
  return {
    format: parseFormat(format),
    head,
    workTree: isBare ? null : located.workTree,
  };
};

/**
 * Opens the repository at `folder` or above it. `NOT_A_REPOSITORY`, `GIT_UNSAFE` (before git is asked anything) or
 * `GIT_FAILED`. The caller closes it.
 */
export const openRepository = async (folder: string, options: OpenOptions): Promise<Repository> => {
  const { environment, uid, signal } = options;
  const located = await locateRepository(folder);
  await checkOwnership(located, uid);
  const temporary = await makePrivateFolder(temporaryRoot(environment));
  const place = {
    gitFolder: located.gitFolder,
    objects: located.objects,
    workTree: located.workTree ?? temporary.folder,
  };
  const stop = followSignals([signal]);
  try {
    const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    const calls = new GitCalls({
      ...{ environment, place, privateFolder: temporary.folder, deadlineMs },
      signal: stop.signal,
    });
    const facts = await readFacts(calls, located);
    await temporary.setFormat(facts.format);
    return new OpenedRepository({ located, ...facts, privateFolder: temporary.folder, calls, stop });
  } catch (cause) {
    stop.leave();
    await rm(temporary.folder, { recursive: true, force: true });
    throw cause;
  }
};
