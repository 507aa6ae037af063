/**
 * What is read in the repository itself: names of commits, the default branch, the index, who the person is. Nothing here
 * reads a file's content, and every program that settings could name is switched off.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { GitCalls } from './git-calls.js';
import { unreadable } from './git-failure.js';

const NEWLINE_END = /\n$/;

/** Full id of the commit that a name stands for, or `null`. */
export const resolveCommit = async (calls: GitCalls, name: string): Promise<string | null> => {
  if (name === '' || name.includes('\0')) return null;
  const args = ['--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { status, stdout } = await calls.run('names', 'rev-parse', args, { alsoFine: [1, 128] });
  return status === 0 ? stdout.toString('latin1').replace(NEWLINE_END, '') : null;
};

/** One child for two answers: the object format, and HEAD's commit where it has one. */
export const readFormatAndHead = async (calls: GitCalls): Promise<{ format: string; head: string | null }> => {
  const args = ['--show-object-format', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}'];
  const { status, stdout } = await calls.run('names', 'rev-parse', args, { alsoFine: [1, 128] });
  const [format = '', head = ''] = stdout.toString('latin1').split('\n');
  if (format !== '') return { format, head: status === 0 ? head : null };
  // Git did not come as far as that: asked for the format alone it says why.
  const alone = await calls.run('names', 'rev-parse', ['--show-object-format']);
  return { format: alone.stdout.toString('latin1').trim(), head: null };
};

/** A HEAD that names an object which is not there is damage, not a repository without a commit. */
export const resolveHead = async (calls: GitCalls): Promise<string | null> => {
  const commit = await resolveCommit(calls, 'HEAD');
  if (commit !== null) return commit;
  const named = await calls.run('names', 'rev-parse', ['--verify', '--quiet', 'HEAD'], { alsoFine: [1] });
  if (named.status === 0) throw unreadable(`HEAD's commit ${named.stdout.toString('latin1').trim()}`);
  return null;
};

export const readGitVersion = async (calls: GitCalls): Promise<string> =>
  (await calls.run('names', 'version', [])).stdout
    .toString('latin1')
    .trim()
    .replace(/^git version /, '');

const REMOTE_HEAD = 'refs/remotes/origin/HEAD';
const BRANCHES = [REMOTE_HEAD, 'refs/heads/main', 'refs/heads/master'] as const;

/** The target of origin/HEAD, else `main`, else `master`. */
export const findDefaultBranch = async (calls: GitCalls): Promise<{ name: string; commit: string } | null> => {
  const format = '--format=%(refname)%00%(objectname)%00%(symref)';
  const { stdout } = await calls.run('names', 'for-each-ref', [format, ...BRANCHES]);
  const rows = stdout
    .toString('utf8')
    .split('\n')
    .map((row) => row.split('\0'));
  for (const branch of BRANCHES) {
    const row = rows.find(([name]) => name === branch);
    const [, commit, target] = row ?? [];
    if (commit === undefined) continue;
    const full = branch === REMOTE_HEAD && target !== undefined && target !== '' ? target : branch;
    return { name: full.replace(/^refs\/(?:heads|remotes)\//, ''), commit };
  }
  return null;
};

/** Names and e-mails in force, the person's own settings included; reading them runs nothing. */
export const readIdentity = async (calls: GitCalls): Promise<{ names: string[]; emails: string[] }> => {
  const args = ['-z', '--get-regexp', '^(user|author|committer)\\.(name|email)$'];
  const { stdout } = await calls.run('identity', 'config', args, { alsoFine: [1] });
  const names = new Set<string>();
  const emails = new Set<string>();
  for (const row of stdout.toString('utf8').split('\0')) {
    const split = row.indexOf('\n');
    if (split < 0) continue;
    const value = row.slice(split + 1).trim();
    if (value !== '') (row.slice(0, split).endsWith('name') ? names : emails).add(value);
  }
  return { names: [...names], emails: [...emails] };
};

/** An absolute path with the links of its folders followed, as far as it exists; the last name may be a link itself. */
const realPlace = async (path: string): Promise<string> => {
  const folder = dirname(path);
  if (folder === path) return path;
  try {
    return join(await realpath(folder), basename(path));
  } catch {
    return join(await realPlace(folder), basename(path));
  }
};

/** `path` is absolute or relative to the work tree's root. Never true in a repository without a folder around it. */
export const isPathTracked = async (calls: GitCalls, workTree: string | null, path: string): Promise<boolean> => {
  if (workTree === null) return false;
  const inside = (isAbsolute(path) ? relative(workTree, await realPlace(path)) : path).split(sep).join('/');
  if (inside === '..' || inside.startsWith('../') || isAbsolute(inside)) return false;
  const named = inside === '' ? [] : [inside];
  const args = ['-z', '--cached', '--full-name', '--', ...named];
  const { stdout } = await calls.run('names', 'ls-files', args, {
    outputBytes: LISTING_BYTES,
    before: ['-C', workTree],
  });
  return stdout.length > 0;
};

const LISTING_BYTES = 256 * 1024 * 1024;
