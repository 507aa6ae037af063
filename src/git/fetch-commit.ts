/**
 * The one place where git may speak to the network: a commit is fetched from a URL of the owner's own list into a bare
 * clone of ours. Only that URL's protocol is allowed, redirects are not followed, no credential helper, hook or prompt
 * runs, and what came is checked as it is stored. What is read later is read with every protocol off.
 */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ColdsealError } from '../contract/error.js';
import { type Environment, fetchEnvironment } from './environment.js';
import { runGit } from './run-git.js';

export interface FetchRequest {
  readonly url: string;
  /** Full object name. */
  readonly commit: string;
  /** The bare clone; made when it is not there. Absolute. */
  readonly clone: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

const DEADLINE_MS = 15 * 60_000;
const OUTPUT_BYTES = 1024 * 1024;

const SETTINGS = {
  40: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  64: '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n',
} as const;

const SWITCHES = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.askPass=',
  'credential.helper=',
  'fetch.fsckObjects=true',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'http.followRedirects=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

/** Makes the files of a bare git folder whose HEAD is `head`. What is there already is left as it is. */
export const makeGitFolder = async (folder: string, head: string, commit: string): Promise<void> => {
  await mkdir(join(folder, 'objects', 'info'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'refs'), { recursive: true, mode: 0o700 });
  const settings = commit.length === 64 ? SETTINGS[64] : SETTINGS[40];
  await writeFile(join(folder, 'config'), settings, { mode: 0o600 });
  await writeFile(join(folder, 'HEAD'), head, { mode: 0o600 });
};

const refOf = (commit: string): string => join('refs', 'coldseal', commit);

/** True when the clone holds the commit and all of its history: the name is written last. */
export const holdsCommit = async (clone: string, commit: string): Promise<boolean> =>
  (await stat(join(clone, refOf(commit))).catch(() => null))?.isFile() === true;

/** `GIT_FAILED`, also for a server that does not give a commit by its name. */
export const fetchCommit = async ({ url, commit, clone, environment, signal }: FetchRequest): Promise<void> => {
  const protocol = /^(https|ssh|file):/.exec(url)?.[1];
  if (protocol === undefined) throw new ColdsealError('INTERNAL', 'a clone URL was not judged before it was fetched');
  await makeGitFolder(clone, 'ref: refs/heads/none\n', commit);
  const words = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--force'];
  await runGit({
    args: [
      ...SWITCHES,
      '-c',
      `protocol.${protocol}.allow=always`,
      'fetch',
      ...words,
      '--',
      url,
      `${commit}:${refOf(commit)}`,
    ],
    verb: 'fetch',
    environment: fetchEnvironment(environment, clone, protocol),
    folder: clone,
    deadlineMs: DEADLINE_MS,
    signals: [signal],
    input: null,
    outputBytes: OUTPUT_BYTES,
    alsoFine: [],
  });
};
